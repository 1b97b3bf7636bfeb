// SPDX-License-Identifier: BSD-2-Clause
// A descriptor that is added while a thread waits is watched, too.
#include "../harness.h"

#include <sys/epoll.h>

static int ep;
static atomic_bool in;

static void *body(void *arg)
{
	struct epoll_event e;

	in = true;
	CHECK_EQ(epoll_wait(ep, &e, 1, 20000), 1);
	CHECK_EQ(e.data.u32, 42);
	return arg;
}

int main(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = 42 };
	pthread_t t;
	int fd[2];

	CHECK_OK(pipe(fd));
	ep = epoll_create1(0);
	t = spawn(body, NULL);
	WAIT_FOR(in);
	settle();
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &e));
	settle();
	CHECK_EQ(write(fd[1], "x", 1), 1);
	join(t);
}

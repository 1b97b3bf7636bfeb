// SPDX-License-Identifier: BSD-2-Clause
// A thread in epoll_wait is woken by a descriptor that another thread makes ready, or adds while
// it waits.
#include "../harness.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int e;
static atomic_int got;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 100; i++) {
		struct epoll_event ev;
		eventfd_t v;

		CHECK_EQ(epoll_wait(e, &ev, 1, -1), 1);
		CHECK_OK(eventfd_read(ev.data.fd, &v));
		got++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	e = epoll_create1(0);
	t = spawn(body, NULL);
	for (int i = 1; i <= 100; i++) {
		int fd = eventfd(1, 0);
		struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

		CHECK_OK(epoll_ctl(e, EPOLL_CTL_ADD, fd, &ev));
		WAIT_FOR(got == i);
		CHECK_OK(close(fd));
	}
	join(t);
}

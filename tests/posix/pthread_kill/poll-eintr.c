// SPDX-License-Identifier: BSD-2-Clause
// poll, select and epoll_wait fail with EINTR after a handler, SA_RESTART or not.
#include "../harness.h"
#include <sys/epoll.h>
#include <sys/select.h>

static atomic_int over;
static int epoll_fd;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg UNUSED)
{
	struct epoll_event e;

	CHECK_ERRNO(poll(NULL, 0, 20000), EINTR);
	over = 1;
	CHECK_ERRNO(select(0, NULL, NULL, NULL, NULL), EINTR);
	over = 2;
	CHECK_ERRNO(epoll_wait(epoll_fd, &e, 1, -1), EINTR);
	over = 3;
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	epoll_fd = epoll_create1(0);
	t = spawn(body, NULL);
	while (over < 3) {
		settle();
		if (over < 3)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// epoll_pwait2 is a cancellation point, with a time limit and without.
#include "../cancel.h"

#if __GLIBC_PREREQ(2, 35)
#include <sys/epoll.h>

static int ep;

static void call(void *arg)
{
	struct epoll_event e;

	CHECK(epoll_pwait2(ep, &e, 1, arg, NULL) != -1);
}

int main(void)
{
	struct timespec limit = { .tv_sec = WATCHDOG_SECONDS }, none = { 0 };
	struct epoll_event e;

	CHECK((ep = epoll_create1(0)) >= 0);
	if (epoll_pwait2(ep, &e, 1, &none, NULL) == -1 && errno == ENOSYS)
		skip("a kernel without epoll_pwait2");
	check_cancels(call, NULL);
	check_cancels(call, &limit);
}
#else
int main(void)
{
	skip("a libc without epoll_pwait2");
}
#endif

// SPDX-License-Identifier: BSD-2-Clause
// epoll_pwait is a cancellation point, with a mask and without.
#include "../cancel.h"

#include <sys/epoll.h>

static int ep;

static void call(void *arg)
{
	struct epoll_event e;
	sigset_t s = set_of(SIGUSR1);

	epoll_pwait(ep, &e, 1, -1, arg ? &s : NULL);
}

int main(void)
{
	CHECK((ep = epoll_create1(0)) >= 0);
	check_cancels(call, NULL);
	check_cancels(call, "mask");
}

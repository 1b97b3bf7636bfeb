// SPDX-License-Identifier: BSD-2-Clause
// epoll_wait and epoll_pwait are cancellation points.
#include "../cancel.h"
#include <sys/epoll.h>

static void with_wait(void *arg)
{
	struct epoll_event e;

	CHECK(epoll_wait(*(int *)arg, &e, 1, -1) != -1);
}

static void with_pwait(void *arg)
{
	struct epoll_event e;

	CHECK(epoll_pwait(*(int *)arg, &e, 1, -1, NULL) != -1);
}

int main(void)
{
	int e = epoll_create1(0);

	CHECK(e >= 0);
	check_cancels(with_wait, &e);
	check_cancels(with_pwait, &e);
}

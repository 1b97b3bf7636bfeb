// SPDX-License-Identifier: BSD-2-Clause
// poll and ppoll are cancellation points, with and without descriptors.
#include "../cancel.h"

static void on_fd(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	CHECK(poll(&p, 1, -1) != -1);
}

static void empty(void *arg UNUSED)
{
	CHECK(poll(NULL, 0, WATCHDOG_SECONDS * 1000) != -1);
}

static void with_ppoll(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	CHECK(ppoll(&p, 1, NULL, NULL) != -1);
}

int main(void)
{
	int p[2];

	CHECK_OK(pipe(p));
	check_cancels(on_fd, &p[0]);
	check_cancels(empty, NULL);
	check_cancels(with_ppoll, &p[0]);
}

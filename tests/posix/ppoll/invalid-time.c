// SPDX-License-Identifier: BSD-2-Clause
// ppoll and pselect refuse nanoseconds out of range and negative times: EINVAL.
#include "../harness.h"

#include <sys/select.h>

static void *body(void *arg)
{
	struct timespec big = { .tv_nsec = 1000000000 }, negative = { .tv_sec = -1 };

	CHECK_ERRNO(ppoll(NULL, 0, &big, NULL), EINVAL);
	CHECK_ERRNO(ppoll(NULL, 0, &negative, NULL), EINVAL);
	CHECK_ERRNO(pselect(0, NULL, NULL, NULL, &big, NULL), EINVAL);
	CHECK_ERRNO(pselect(-1, NULL, NULL, NULL, NULL, NULL), EINVAL);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

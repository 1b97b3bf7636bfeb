// SPDX-License-Identifier: BSD-2-Clause
// clock_nanosleep returns its errors: EINVAL for clocks and values that cannot be; the caller's own CPU
// clock too.
#include "../harness.h"

static void *body(void *arg)
{
	struct timespec t = { .tv_nsec = 1000000000 };

	errno = 0;
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), EINVAL);
	t.tv_nsec = 1;
	CHECK_EQ(clock_nanosleep(9999, 0, &t, NULL), EINVAL);
	int rc = clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL);

	CHECK(rc == EINVAL || rc == EOPNOTSUPP);
	CHECK_EQ(errno, 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

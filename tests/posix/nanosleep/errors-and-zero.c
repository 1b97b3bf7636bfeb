// SPDX-License-Identifier: BSD-2-Clause
// nanosleep: EINVAL for bad values; a sleep of 0 returns at once.
#include "../harness.h"

static void *body(void *arg)
{
	struct timespec t = { .tv_nsec = 1000000000 };

	CHECK_ERRNO(nanosleep(&t, NULL), EINVAL);
	t.tv_nsec = -1;
	CHECK_ERRNO(nanosleep(&t, NULL), EINVAL);
	t = (struct timespec){ .tv_sec = -1 };
	CHECK_ERRNO(nanosleep(&t, NULL), EINVAL);
	t.tv_sec = 0;
	CHECK_OK(nanosleep(&t, NULL));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
	body(NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// clock_gettime and clock_getres refuse clocks that do not exist; the known ones have a resolution.
#include "../harness.h"

static void *body(void *arg)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID,
					    CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME };
	struct timespec t;

	CHECK_ERRNO(clock_gettime(9999, &t), EINVAL);
	CHECK_ERRNO(clock_getres(9999, &t), EINVAL);
	for (int i = 0; i < 5; i++) {
		CHECK_OK(clock_getres(clocks[i], &t));
		CHECK(t.tv_sec == 0 && t.tv_nsec > 0);
		CHECK_OK(clock_gettime(clocks[i], &t));
		CHECK(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
	}
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

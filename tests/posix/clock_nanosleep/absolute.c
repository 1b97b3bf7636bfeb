// SPDX-License-Identifier: BSD-2-Clause
// clock_nanosleep sleeps until a point in time; it returns the error and leaves errno alone.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 30), past = in_ms(CLOCK_MONOTONIC, -30);
	struct timespec real = in_ms(CLOCK_REALTIME, 20), bad = { .tv_nsec = -1 };

	CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
	CHECK(now_ns() >= (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
	CHECK_OK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &real, NULL));
	CHECK(now_on(CLOCK_REALTIME) >=
	      (uint64_t)real.tv_sec * 1000000000ull + (uint64_t)real.tv_nsec);
	errno = 12345;
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
	CHECK_EQ(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &at, NULL), EINVAL);
	CHECK_EQ(errno, 12345);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}

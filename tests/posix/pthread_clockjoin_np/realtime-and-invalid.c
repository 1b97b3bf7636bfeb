// SPDX-License-Identifier: BSD-2-Clause
// pthread_clockjoin_np times out on the clock that it names; a CPU-time clock is EINVAL.
#include "../harness.h"

static atomic_bool over;

static void *body(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, &over);
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);
	void *value = NULL;

	CHECK_EQ(pthread_clockjoin_np(t, &value, CLOCK_REALTIME, &at), ETIMEDOUT);
	CHECK(now_ns() - start > 25000000);
	if (__GLIBC_PREREQ(2, 34))		/* before, glibc waits */
		CHECK_EQ(pthread_clockjoin_np(t, &value, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	CHECK(value == NULL);
	over = true;
	at = in_ms(CLOCK_MONOTONIC, 10000);
	CHECK_OK(pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &at));
	CHECK(value == &over);
}

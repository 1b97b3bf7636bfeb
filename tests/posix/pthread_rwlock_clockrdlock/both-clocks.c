// SPDX-License-Identifier: BSD-2-Clause
// The clock variants wait on the clock that they name; CPU-time clocks are EINVAL.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *body(void *arg)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };

	for (int i = 0; i < 2; i++) {
		uint64_t start = now_ns();
		struct timespec at = in_ms(clocks[i], 20);

		CHECK_EQ(pthread_rwlock_clockrdlock(&l, clocks[i], &at), ETIMEDOUT);
		CHECK(now_ns() - start > 15000000);
		at = in_ms(clocks[i], 20);
		CHECK_EQ(pthread_rwlock_clockwrlock(&l, clocks[i], &at), ETIMEDOUT);
		CHECK_EQ(pthread_rwlock_clockwrlock(&l, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	}
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_rwlock_wrlock(&l));
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A condition may be initialised again after it was destroyed, with another clock.
#include "../harness.h"

int main(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME };
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_condattr_t a;
	pthread_cond_t c;

	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_condattr_init(&a));
	for (int i = 0; i < 4; i++) {
		struct timespec at;

		CHECK_OK(pthread_condattr_setclock(&a, clocks[i & 1]));
		CHECK_OK(pthread_cond_init(&c, &a));
		at = in_ms(clocks[i & 1], 10);
		CHECK_EQ(pthread_cond_timedwait(&c, &m, &at), ETIMEDOUT);
		CHECK_OK(pthread_cond_destroy(&c));
	}
}

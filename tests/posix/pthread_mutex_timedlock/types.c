// SPDX-License-Identifier: BSD-2-Clause
// A timed lock of its own mutex: EDEADLK for an error-checking one, once more for a recursive one,
// ETIMEDOUT for a normal one.
#include "../harness.h"

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_NORMAL };
	static const int result[] = { EDEADLK, 0, ETIMEDOUT };

	for (int i = 0; i < 3; i++) {
		struct timespec at = in_ms(CLOCK_REALTIME, 30);
		pthread_mutexattr_t a;
		pthread_mutex_t m;

		CHECK_OK(pthread_mutexattr_init(&a));
		CHECK_OK(pthread_mutexattr_settype(&a, types[i]));
		CHECK_OK(pthread_mutex_init(&m, &a));
		CHECK_OK(pthread_mutex_timedlock(&m, &at));
		CHECK_EQ(pthread_mutex_timedlock(&m, &at), result[i]);
		if (result[i] == 0)
			CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_mutex_destroy(&m));
	}
}

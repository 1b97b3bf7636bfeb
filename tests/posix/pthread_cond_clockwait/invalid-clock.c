// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_clockwait with a CPU-time clock or bad nanoseconds is EINVAL, with the mutex held.
#include "../harness.h"

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec at = in_ms(CLOCK_MONOTONIC, 1000);

	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	at.tv_nsec = -1;
	CHECK_EQ(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at), EINVAL);
	at.tv_nsec = 1000000000;
	CHECK_EQ(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at), EINVAL);
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
}

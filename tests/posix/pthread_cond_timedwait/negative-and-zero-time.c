// SPDX-License-Identifier: BSD-2-Clause
// A time before 1970 or at 0 is in the past: ETIMEDOUT at once, with the mutex held.
#include "../harness.h"

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec zero = { 0 }, before = { .tv_sec = -1 };

	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(pthread_cond_timedwait(&c, &m, &zero), ETIMEDOUT);
	CHECK_EQ(pthread_cond_timedwait(&c, &m, &before), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_mutex_trylock(&m));
}

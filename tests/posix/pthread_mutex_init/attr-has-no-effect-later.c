// SPDX-License-Identifier: BSD-2-Clause
// Destroying or changing the attribute object does not change mutexes made with it.
#include "../harness.h"

int main(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	CHECK_OK(pthread_mutex_init(&m, &a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	CHECK_OK(pthread_mutexattr_destroy(&a));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(pthread_mutex_lock(&m), EDEADLK);
}

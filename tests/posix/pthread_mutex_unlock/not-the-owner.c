// SPDX-License-Identifier: BSD-2-Clause
// Unlocking a mutex that another thread holds, or nobody, is EPERM for error-checking and recursive
// ones, and they stay as they were.
#include "../harness.h"

static pthread_mutex_t m;

static void *other(void *arg)
{
	CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
	return arg;
}

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };

	for (int i = 0; i < 2; i++) {
		pthread_mutexattr_t a;

		CHECK_OK(pthread_mutexattr_init(&a));
		CHECK_OK(pthread_mutexattr_settype(&a, types[i]));
		CHECK_OK(pthread_mutex_init(&m, &a));
		CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
		CHECK_OK(pthread_mutex_lock(&m));
		join(spawn(other, NULL));
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
	}
}

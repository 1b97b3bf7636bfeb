// SPDX-License-Identifier: BSD-2-Clause
// Attributes of mutexes give back what was set; unknown values are EINVAL.
#include "../harness.h"

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_DEFAULT };
	pthread_mutexattr_t a;
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_gettype(&a, &v));
	CHECK_EQ(v, PTHREAD_MUTEX_DEFAULT);
	for (int i = 0; i < 4; i++) {
		CHECK_OK(pthread_mutexattr_settype(&a, types[i]));
		CHECK_OK(pthread_mutexattr_gettype(&a, &v));
		CHECK_EQ(v, types[i]);
	}
	CHECK_EQ(pthread_mutexattr_settype(&a, 99), EINVAL);
	CHECK_EQ(pthread_mutexattr_setrobust(&a, 99), EINVAL);
	CHECK_EQ(pthread_mutexattr_setpshared(&a, 99), EINVAL);
	CHECK_EQ(pthread_mutexattr_setprotocol(&a, 99), EINVAL);
	CHECK_OK(pthread_mutexattr_destroy(&a));
}

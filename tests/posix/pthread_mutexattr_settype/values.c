// SPDX-License-Identifier: BSD-2-Clause
// The default type is PTHREAD_MUTEX_DEFAULT; the standard ones are kept; another value is EINVAL.
#include "../harness.h"

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_NORMAL };
	pthread_mutexattr_t a;
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_gettype(&a, &v));
	CHECK_EQ(v, PTHREAD_MUTEX_DEFAULT);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_mutexattr_settype(&a, types[i]));
		CHECK_OK(pthread_mutexattr_gettype(&a, &v));
		CHECK_EQ(v, types[i]);
	}
	CHECK_EQ(pthread_mutexattr_settype(&a, 1000), EINVAL);
}

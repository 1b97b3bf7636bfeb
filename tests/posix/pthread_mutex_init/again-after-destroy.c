// SPDX-License-Identifier: BSD-2-Clause
// A mutex may be initialised again after it was destroyed, with another type.
#include "../harness.h"

int main(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	CHECK_OK(pthread_mutexattr_init(&a));
	for (int i = 0; i < 4; i++) {
		CHECK_OK(pthread_mutexattr_settype(&a, i & 1 ? PTHREAD_MUTEX_ERRORCHECK
							     : PTHREAD_MUTEX_RECURSIVE));
		CHECK_OK(pthread_mutex_init(&m, &a));
		CHECK_OK(pthread_mutex_lock(&m));
		CHECK_EQ(pthread_mutex_lock(&m), i & 1 ? EDEADLK : 0);
		if (!(i & 1))
			CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_mutex_destroy(&m));
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_consistent is EINVAL for a mutex that is not robust, or in a consistent state.
#include "../harness.h"

int main(void)
{
	pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, robust;
	pthread_mutexattr_t a;

	CHECK_EQ(pthread_mutex_consistent(&plain), EINVAL);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&robust, &a));
	CHECK_OK(pthread_mutex_lock(&robust));
	CHECK_EQ(pthread_mutex_consistent(&robust), EINVAL);
	CHECK_OK(pthread_mutex_unlock(&robust));
}

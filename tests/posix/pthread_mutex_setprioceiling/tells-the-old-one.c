// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_setprioceiling changes the ceiling and gives the old one; a value that is no priority
// is EINVAL and changes nothing.
#include "../harness.h"

int main(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int old = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 10));
	CHECK_OK(pthread_mutex_init(&m, &a));
	CHECK_OK(pthread_mutex_setprioceiling(&m, 12, &old));
	CHECK_EQ(old, 10);
	CHECK_EQ(pthread_mutex_setprioceiling(&m, 1000, &old), EINVAL);
	CHECK_EQ(pthread_mutex_setprioceiling(&m, -1, &old), EINVAL);
	CHECK_EQ(old, 10);
	CHECK_OK(pthread_mutex_getprioceiling(&m, &old));
	CHECK_EQ(old, 12);
	CHECK_OK(pthread_mutex_destroy(&m));
}

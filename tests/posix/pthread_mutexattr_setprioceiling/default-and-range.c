// SPDX-License-Identifier: BSD-2-Clause
// The default ceiling is a priority of SCHED_FIFO; the ends of that range are accepted, what is
// beyond is EINVAL.
#include "../harness.h"

int main(void)
{
	int low = sched_get_priority_min(SCHED_FIFO), high = sched_get_priority_max(SCHED_FIFO), v = -1;
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_getprioceiling(&a, &v));
	CHECK(v >= low && v <= high);
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, low));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, high));
	CHECK_OK(pthread_mutexattr_getprioceiling(&a, &v));
	CHECK_EQ(v, high);
	CHECK_EQ(pthread_mutexattr_setprioceiling(&a, low - 1), EINVAL);
	CHECK_EQ(pthread_mutexattr_setprioceiling(&a, high + 1), EINVAL);
}

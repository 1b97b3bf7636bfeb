// SPDX-License-Identifier: BSD-2-Clause
// The two kinds of inheritance are kept, inheriting is glibc's default, others are EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	int v = -1;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getinheritsched(&a, &v));
	CHECK_EQ(v, PTHREAD_INHERIT_SCHED);
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_getinheritsched(&a, &v));
	CHECK_EQ(v, PTHREAD_EXPLICIT_SCHED);
	CHECK_EQ(pthread_attr_setinheritsched(&a, 99), EINVAL);
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_INHERIT_SCHED));
	CHECK_OK(pthread_attr_getinheritsched(&a, &v));
	CHECK_EQ(v, PTHREAD_INHERIT_SCHED);
}

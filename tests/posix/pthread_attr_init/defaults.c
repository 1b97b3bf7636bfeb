// SPDX-License-Identifier: BSD-2-Clause
// Fresh attributes: joinable, system contention scope, inherited scheduling, a stack of at least
// PTHREAD_STACK_MIN.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	size_t size = 0;
	int v = -1;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getdetachstate(&a, &v));
	CHECK_EQ(v, PTHREAD_CREATE_JOINABLE);
	CHECK_OK(pthread_attr_getscope(&a, &v));
	CHECK_EQ(v, PTHREAD_SCOPE_SYSTEM);
	CHECK_OK(pthread_attr_getinheritsched(&a, &v));
	CHECK_EQ(v, PTHREAD_INHERIT_SCHED);
	CHECK_OK(pthread_attr_getstacksize(&a, &size));
	CHECK(size >= (size_t)PTHREAD_STACK_MIN);
	CHECK_OK(pthread_attr_getguardsize(&a, &size));
	CHECK(size >= 1);
	CHECK_OK(pthread_attr_destroy(&a));
}

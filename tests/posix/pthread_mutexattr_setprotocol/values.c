// SPDX-License-Identifier: BSD-2-Clause
// The protocol of an attribute object: PTHREAD_PRIO_NONE first, the three values kept, others EINVAL.
#include "../harness.h"

int main(void)
{
	static const int values[] = { PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT, PTHREAD_PRIO_NONE };
	pthread_mutexattr_t a;
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_getprotocol(&a, &v));
	CHECK_EQ(v, PTHREAD_PRIO_NONE);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_mutexattr_setprotocol(&a, values[i]));
		CHECK_OK(pthread_mutexattr_getprotocol(&a, &v));
		CHECK_EQ(v, values[i]);
	}
	CHECK_EQ(pthread_mutexattr_setprotocol(&a, 77), EINVAL);
	CHECK_OK(pthread_mutexattr_getprotocol(&a, &v));
	CHECK_EQ(v, PTHREAD_PRIO_NONE);
	CHECK_OK(pthread_mutexattr_destroy(&a));
}

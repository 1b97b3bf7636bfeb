// SPDX-License-Identifier: BSD-2-Clause
// The three POSIX policies are kept in attributes; one that does not exist is EINVAL.
#include "../harness.h"

int main(void)
{
	static const int policies[] = { SCHED_FIFO, SCHED_RR, SCHED_OTHER };
	pthread_attr_t a;
	int v = -1;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getschedpolicy(&a, &v));
	CHECK_EQ(v, SCHED_OTHER);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_attr_setschedpolicy(&a, policies[i]));
		CHECK_OK(pthread_attr_getschedpolicy(&a, &v));
		CHECK_EQ(v, policies[i]);
	}
	CHECK_EQ(pthread_attr_setschedpolicy(&a, 4711), EINVAL);
}

// SPDX-License-Identifier: BSD-2-Clause
// A mutex without the protocol has no ceiling: both calls are EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int v = -1;

	CHECK_EQ(pthread_mutex_setprioceiling(&m, 5, &v), EINVAL);
	CHECK_EQ(pthread_mutex_getprioceiling(&m, &v), EINVAL);
	CHECK_EQ(v, -1);
}

// SPDX-License-Identifier: BSD-2-Clause
// The default is stalled; both values are kept; another one is EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_mutexattr_t a;
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_getrobust(&a, &v));
	CHECK_EQ(v, PTHREAD_MUTEX_STALLED);
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutexattr_getrobust(&a, &v));
	CHECK_EQ(v, PTHREAD_MUTEX_ROBUST);
	CHECK_EQ(pthread_mutexattr_setrobust(&a, 55), EINVAL);
}

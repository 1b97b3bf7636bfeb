// SPDX-License-Identifier: BSD-2-Clause
// The default is private; both values are kept; another one is EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_rwlockattr_t a;
	int v = -1;

	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_getpshared(&a, &v));
	CHECK_EQ(v, PTHREAD_PROCESS_PRIVATE);
	CHECK_OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlockattr_getpshared(&a, &v));
	CHECK_EQ(v, PTHREAD_PROCESS_SHARED);
	CHECK_EQ(pthread_rwlockattr_setpshared(&a, 55), EINVAL);
}

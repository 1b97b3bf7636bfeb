// SPDX-License-Identifier: BSD-2-Clause
// The default kind prefers readers; the three kinds are kept; another value is EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_rwlockattr_t a;
	int v = -1;

	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_getkind_np(&a, &v));
	CHECK_EQ(v, PTHREAD_RWLOCK_DEFAULT_NP);
	CHECK_OK(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	CHECK_OK(pthread_rwlockattr_getkind_np(&a, &v));
	CHECK_EQ(v, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	CHECK_EQ(pthread_rwlockattr_setkind_np(&a, 99), EINVAL);
}

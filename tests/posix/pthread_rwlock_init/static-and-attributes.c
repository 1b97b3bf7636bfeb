// SPDX-License-Identifier: BSD-2-Clause
// A lock from the static initialiser, from NULL attributes and from default attributes works alike.
#include "../harness.h"

int main(void)
{
	pthread_rwlock_t l[3] = { PTHREAD_RWLOCK_INITIALIZER };
	pthread_rwlockattr_t a;

	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlock_init(&l[1], NULL));
	CHECK_OK(pthread_rwlock_init(&l[2], &a));
	CHECK_OK(pthread_rwlockattr_destroy(&a));
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_rwlock_rdlock(&l[i]));
		CHECK_OK(pthread_rwlock_tryrdlock(&l[i]));
		CHECK_EQ(pthread_rwlock_trywrlock(&l[i]), EBUSY);
		CHECK_OK(pthread_rwlock_unlock(&l[i]));
		CHECK_OK(pthread_rwlock_unlock(&l[i]));
		CHECK_OK(pthread_rwlock_trywrlock(&l[i]));
		CHECK_EQ(pthread_rwlock_tryrdlock(&l[i]), EBUSY);
		CHECK_OK(pthread_rwlock_unlock(&l[i]));
		CHECK_OK(pthread_rwlock_destroy(&l[i]));
	}
}

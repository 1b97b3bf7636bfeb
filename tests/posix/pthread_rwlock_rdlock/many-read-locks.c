// SPDX-License-Identifier: BSD-2-Clause
// A thread may hold a read lock a thousand times; it is free after as many unlocks.
#include "../harness.h"

int main(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	for (int i = 0; i < 1000; i++)
		CHECK_OK(pthread_rwlock_rdlock(&l));
	for (int i = 0; i < 1000; i++) {
		CHECK_EQ(pthread_rwlock_trywrlock(&l), EBUSY);
		CHECK_OK(pthread_rwlock_unlock(&l));
	}
	CHECK_OK(pthread_rwlock_trywrlock(&l));
}

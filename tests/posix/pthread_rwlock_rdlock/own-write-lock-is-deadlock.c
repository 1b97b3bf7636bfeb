// SPDX-License-Identifier: BSD-2-Clause
// A read lock by the thread that holds the write lock is EDEADLK.
#include "../harness.h"

int main(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	CHECK_OK(pthread_rwlock_wrlock(&l));
	CHECK_EQ(pthread_rwlock_rdlock(&l), EDEADLK);
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_rdlock(&l));
}

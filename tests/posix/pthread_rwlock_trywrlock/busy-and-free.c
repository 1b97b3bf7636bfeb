// SPDX-License-Identifier: BSD-2-Clause
// trywrlock: EBUSY while a reader or a writer holds the lock, else it is locked.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *tries(void *arg)
{
	CHECK_EQ(pthread_rwlock_trywrlock(&l), (int)(intptr_t)arg);
	if (!arg)
		CHECK_OK(pthread_rwlock_unlock(&l));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_rwlock_rdlock(&l));
	join(spawn(tries, (void *)EBUSY));
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_wrlock(&l));
	join(spawn(tries, (void *)EBUSY));
	CHECK_OK(pthread_rwlock_unlock(&l));
	join(spawn(tries, NULL));
}

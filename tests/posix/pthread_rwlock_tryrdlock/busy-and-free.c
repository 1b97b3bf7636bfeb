// SPDX-License-Identifier: BSD-2-Clause
// The try functions do not wait: EBUSY against a writer (and tryrdlock passes beside readers).
#include "../harness.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *against_writer(void *arg UNUSED)
{
	CHECK_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
	CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
	return NULL;
}

static void *beside_reader(void *arg UNUSED)
{
	CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
	CHECK_OK(pthread_rwlock_tryrdlock(&lock));
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_rwlock_trywrlock(&lock));
	join(spawn(against_writer, NULL));
	CHECK_OK(pthread_rwlock_unlock(&lock));
	CHECK_OK(pthread_rwlock_tryrdlock(&lock));
	join(spawn(beside_reader, NULL));
	CHECK_OK(pthread_rwlock_unlock(&lock));
}

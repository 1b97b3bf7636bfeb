// SPDX-License-Identifier: BSD-2-Clause
// The owner of the write lock is told EDEADLK when it asks for the lock again.
#include "../harness.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_rwlock_wrlock(&lock));
	CHECK_EQ(pthread_rwlock_wrlock(&lock), EDEADLK);
	CHECK_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
	body(NULL);
}

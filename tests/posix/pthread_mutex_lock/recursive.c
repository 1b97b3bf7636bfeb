// SPDX-License-Identifier: BSD-2-Clause
// A recursive mutex counts: it is free for others only after as many unlocks as locks.
#include "../harness.h"

static pthread_mutex_t lock;

static void *try(void *arg UNUSED)
{
	int rc = pthread_mutex_trylock(&lock);

	if (rc == 0)
		CHECK_OK(pthread_mutex_unlock(&lock));
	return (void *)(intptr_t)rc;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	for (int i = 0; i < 3; i++)
		CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_trylock(&lock));
	for (int i = 0; i < 4; i++) {
		CHECK_EQ((intptr_t)join(spawn(try, NULL)), EBUSY);
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	CHECK_EQ((intptr_t)join(spawn(try, NULL)), 0);
	CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
}

// SPDX-License-Identifier: BSD-2-Clause
// An error-checking mutex: relocking is EDEADLK, unlocking what one does not own is EPERM.
#include "../harness.h"

static pthread_mutex_t lock;

static void *body(void *arg UNUSED)
{
	CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_EQ(pthread_mutex_lock(&lock), EDEADLK);
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	join(spawn(body, NULL));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_mutex_destroy(&lock));
}

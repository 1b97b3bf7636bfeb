// SPDX-License-Identifier: BSD-2-Clause
// Unlocking without pthread_mutex_consistent makes the mutex useless: ENOTRECOVERABLE.
#include "../harness.h"

static pthread_mutex_t lock;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	join(spawn(body, NULL));
	CHECK_EQ(pthread_mutex_lock(&lock), EOWNERDEAD);
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(pthread_mutex_lock(&lock), ENOTRECOVERABLE);
	CHECK_EQ(pthread_mutex_trylock(&lock), ENOTRECOVERABLE);
	CHECK_OK(pthread_mutex_destroy(&lock));
}

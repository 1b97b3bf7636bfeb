// SPDX-License-Identifier: BSD-2-Clause
// The owner of a robust mutex ends: the next to lock gets EOWNERDEAD and owns it; consistent makes
// it whole.
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
	CHECK_OK(pthread_mutex_consistent(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(pthread_mutex_consistent(&lock), EINVAL);
}

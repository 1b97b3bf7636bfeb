// SPDX-License-Identifier: BSD-2-Clause
// A waiter whose robust mutex lost its owner meanwhile returns from pthread_cond_wait with
// EOWNERDEAD.
#include "../harness.h"

static pthread_mutex_t lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_bool waiting;

static void *waiter(void *arg UNUSED)
{
	int rc;

	CHECK_OK(pthread_mutex_lock(&lock));
	waiting = true;
	while ((rc = pthread_cond_wait(&cond, &lock)) == 0)
		;
	CHECK_EQ(rc, EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

static void *dies(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_cond_signal(&cond));
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	t = spawn(waiter, NULL);
	WAIT_FOR(waiting);
	join(spawn(dies, NULL));
	join(t);
}

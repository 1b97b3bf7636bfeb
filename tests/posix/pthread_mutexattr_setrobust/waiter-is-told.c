// SPDX-License-Identifier: BSD-2-Clause
// A thread that already waits for a robust mutex is told EOWNERDEAD when the owner ends.
#include "../harness.h"

static pthread_mutex_t lock;
static atomic_int step;

static void *owner(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	step = 1;
	WAIT_FOR(step == 2);
	return NULL;
}

static void *waiter(void *arg UNUSED)
{
	CHECK_EQ(pthread_mutex_lock(&lock), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t o, w;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	o = spawn(owner, NULL);
	WAIT_FOR(step == 1);
	w = spawn(waiter, NULL);
	settle();
	step = 2;
	join(o);
	join(w);
	CHECK_OK(pthread_mutex_lock(&lock));
}

// SPDX-License-Identifier: BSD-2-Clause
// Of real-time threads that wait for a mutex, or a semaphore, the one with the highest priority gets it.
#include "../fifo.h"

enum { THREADS = 4 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static atomic_int order[THREADS], n;

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	order[n++] = (int)(intptr_t)arg;
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(sem_wait(&s));
	order[n++ % THREADS] = (int)(intptr_t)arg;
	return arg;
}

int main(void)
{
	static const int priorities[THREADS] = { 3, 9, 5, 7 };
	pthread_t t[THREADS];

	use_one_cpu();
	CHECK_OK(sem_init(&s, 0, 0));
	CHECK_OK(pthread_mutex_lock(&m));
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn_fifo(priorities[i], waits, (void *)(intptr_t)priorities[i]);
	settle();
	CHECK_OK(pthread_mutex_unlock(&m));
	WAIT_FOR(n == THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(order[i], 9 - 2 * i);
	for (int i = 0; i < THREADS; i++) {
		settle();
		CHECK_OK(sem_post(&s));
		WAIT_FOR(n == THREADS + i + 1);
		CHECK_EQ(order[i], 9 - 2 * i);
	}
	join_many(t, THREADS);
}

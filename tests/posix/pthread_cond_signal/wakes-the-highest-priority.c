// SPDX-License-Identifier: BSD-2-Clause
// Of real-time threads that wait for a condition, pthread_cond_signal wakes the one with the highest priority: POSIX,
// the scheduling policy determines the order.
#include "../fifo.h"

enum { THREADS = 4, MAKERS_PRIORITY = 20 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t done;
static int order[THREADS], n, signals, waiting;

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	waiting++;
	while (!signals)
		CHECK_OK(pthread_cond_wait(&c, &m));
	signals--;
	order[n++] = (int)(intptr_t)arg;
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(sem_post(&done));
	return arg;
}

static void signal_one(bool holds)
{
	CHECK_OK(pthread_mutex_lock(&m));
	signals++;
	if (holds)
		CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
	if (!holds)
		CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(sem_wait(&done));
}

static void all_wait(pthread_t *t)
{
	static const int priorities[THREADS] = { 3, 9, 5, 7 };

	n = waiting = 0;
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn_fifo(priorities[i], waits, (void *)(intptr_t)priorities[i]);
	for (bool all = false; !all; sleep_ms(1)) {
		CHECK_OK(pthread_mutex_lock(&m));
		all = waiting == THREADS;
		CHECK_OK(pthread_mutex_unlock(&m));
	}
}

/* Better than all of them: it runs whenever it likes. */
static void *signals_each(void *arg)
{
	pthread_t t[THREADS];

	for (int round = 0; round < 2; round++) {
		all_wait(t);
		for (int i = 0; i < THREADS; i++) {
			signal_one(round);
			CHECK_EQ(order[i], 9 - 2 * i);
		}
		join_many(t, THREADS);
	}
	return arg;
}

int main(void)
{
	use_one_cpu();
	CHECK_OK(sem_init(&done, 0, 0));
	join(spawn_fifo(MAKERS_PRIORITY, signals_each, NULL));
}

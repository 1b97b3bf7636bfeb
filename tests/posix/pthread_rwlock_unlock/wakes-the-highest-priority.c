// SPDX-License-Identifier: BSD-2-Clause
// Of real-time threads that wait to write, the one with the highest priority gets the lock when it is unlocked, POSIX
// (Thread Execution Scheduling).
#include "../fifo.h"

enum { THREADS = 4, MAKERS_PRIORITY = 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int order[THREADS], n, waiting;

static void *writes(void *arg)
{
	waiting++;
	CHECK_OK(pthread_rwlock_wrlock(&lock));
	order[n++] = (int)(intptr_t)arg;
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return arg;
}

/* Better than all of them: it runs whenever it likes. */
static void *unlocks(void *arg)
{
	static const int priorities[THREADS] = { 3, 9, 5, 7 };
	pthread_t t[THREADS];

	CHECK_OK(pthread_rwlock_wrlock(&lock));
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn_fifo(priorities[i], writes, (void *)(intptr_t)priorities[i]);
	WAIT_FOR(waiting == THREADS);
	settle();
	CHECK_OK(pthread_rwlock_unlock(&lock));
	join_many(t, THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(order[i], 9 - 2 * i);
	return arg;
}

int main(void)
{
	use_one_cpu();
	join(spawn_fifo(MAKERS_PRIORITY, unlocks, NULL));
}

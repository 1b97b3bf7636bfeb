// SPDX-License-Identifier: BSD-2-Clause
// Of many waiters that a broadcast woke, the first ran a signal handler before it took the mutex, and till its end
// none of the others got on, though the mutex was free.
#include "../posix/harness.h"

enum { OTHERS = 40, ROUNDS = 3, LONG_MS = 4000, HELD_MS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting;
static bool is_go;
static atomic_int returned;
static atomic_bool was_late;

/* Until the others have returned.  The thread may hold the mutex by now: then it never is to be had here. */
static void handle(int sig UNUSED)
{
	uint64_t start = now_ns();
	bool was_free = false;

	while (returned < OTHERS) {
		if (pthread_mutex_trylock(&lock) == 0) {
			was_free = true;
			pthread_mutex_unlock(&lock);
		}
		if (now_ns() - start > (was_free ? LONG_MS : HELD_MS) * 1000000ull) {
			was_late = was_free;
			return;
		}
		sleep_ms(1);
	}
}

static void *waits(void *is_first)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	waiting++;
	while (!is_go)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	returned += !is_first;
	return NULL;
}

static bool as_many_wait(int n)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	bool do_wait = waiting == n;

	CHECK_OK(pthread_mutex_unlock(&lock));
	return do_wait;
}

static bool goes_on(void)
{
	pthread_t first, others[OTHERS];

	waiting = returned = 0;
	is_go = was_late = false;
	first = spawn(waits, &first);
	WAIT_FOR(as_many_wait(1));
	for (int i = 0; i < OTHERS; i++)
		others[i] = spawn(waits, NULL);
	WAIT_FOR(as_many_wait(1 + OTHERS));
	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = true;
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_cond_broadcast(&cond));
	kill_if_there(first, SIGUSR1);
	join(first);
	join_many(others, OTHERS);
	return !was_late;
}

/* A handler may come just after the thread has looked whether there is one. */
int main(void)
{
	int round = 0;

	on_signal(SIGUSR1, handle, 0);
	while (!goes_on())
		CHECK(++round < ROUNDS);
}

// SPDX-License-Identifier: BSD-2-Clause
// Signals for threads that compute: one that came at the moment of a preemption was not handled, nor any after it.
#include "../posix/harness.h"

enum { THREADS = 6, ROUNDS = 400, BURST = 2 };

static __thread int mine;
static atomic_int got[THREADS], ready;
static atomic_bool over;

static void handler(int sig UNUSED)
{
	got[mine]++;
}

static void *computes(void *arg)
{
	mine = (int)(intptr_t)arg;
	ready++;
	while (!over)
		;
	return arg;
}

static void queue(pthread_t t)
{
	int err;

	while ((err = pthread_kill(t, SIGRTMIN)) == EAGAIN)	/* so many are queued */
		sleep_ms(1);
	CHECK_OK(err);
}

int main(void)
{
	pthread_t t[THREADS];

	on_signal(SIGRTMIN, handler, SA_RESTART);
	spawn_many(t, THREADS, computes);
	WAIT_FOR(ready == THREADS);
	for (int n = 0; n < ROUNDS; n++) {
		for (int i = 0; i < THREADS * BURST; i++)
			queue(t[i % THREADS]);
		usleep(500);
	}
	for (int i = 0; i < THREADS; i++)
		WAIT_FOR(got[i] == ROUNDS * BURST);
	over = true;
	join_many(t, THREADS);
}

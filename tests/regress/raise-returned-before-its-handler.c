// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where hundreds of signals were queued for threads that had no processor, and another thread was about to send one more,
 * raise took its own for sent with that, and came back before the handler had run.
 */
#include "../posix/harness.h"

enum { RAISERS = 4, SENDERS = 3, FOR_MS = 400 };

static pthread_t raiser[RAISERS];
static __thread volatile int handled;
static atomic_int begun;
static atomic_bool is_over, are_sent;

static void note(int sig UNUSED)
{
	handled++;
}

static void *raises(void *arg)
{
	begun++;
	while (!is_over) {
		int before = handled;

		CHECK_OK(raise(SIGUSR1));
		CHECK(handled > before);
	}
	while (!are_sent)
		sched_yield();
	return arg;
}

static void *sends(void *arg)
{
	for (unsigned i = 0; !is_over; i++)
		CHECK_OK(pthread_kill(raiser[i % RAISERS], SIGUSR1));
	return arg;
}

int main(void)
{
	pthread_t sender[SENDERS];

	on_signal(SIGUSR1, note, 0);
	spawn_many(raiser, RAISERS, raises);
	WAIT_FOR(begun == RAISERS);
	spawn_many(sender, SENDERS, sends);
	sleep_ms(FOR_MS);
	is_over = true;
	join_many(sender, SENDERS);
	are_sent = true;
	join_many(raiser, RAISERS);
}

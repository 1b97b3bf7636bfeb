// SPDX-License-Identifier: BSD-2-Clause
/* Barriers let all go at once, round after round; a once runs once, also after a failed try. */
#include "threads.h"

#include "sync/barrier.h"
#include "sync/once.h"

enum { THREADS = 5, ROUNDS = 2000 };

static struct barrier bar = { .count = THREADS };
static struct au32 arrived, serials;

static void *rounds(void *arg)
{
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		fetch_add(&arrived, 1);
		if (barrier_wait(&bar))
			fetch_add(&serials, 1);
		CHECK(load_acquire(&arrived) >= i * THREADS);
	}
	return arg;
}

/* One that runs a handler while the round ends finds that it ended; destroy waits for it. */
static struct au32 in_handler, handler_may_end;
static struct thread *_Atomic sleeper;
static struct barrier pair = { .count = 2 };

static void slow_handler(struct thread *me, uint32_t bits, void *uc)
{
	(void)me, (void)bits;
	store_release(&in_handler, 1);
	while (!load_acquire(&handler_may_end))
		usleep(1000);
}

static void *arrive(void *arg)
{
	sleeper = thread_self();
	CHECK(!barrier_wait(&pair));
	return arg;
}

static void *destroy(void *arg)
{
	barrier_destroy(&pair);
	return arg;
}

static void test_away(void)
{
	pthread_t t = spawn(arrive, NULL), d;
	struct thread *me;

	sched_hooks.pending = slow_handler;
	WAIT_FOR(queued(lot_key(&pair, LOT_BARRIER)) == 1);
	fetch_or(&((struct thread *)sleeper)->pending, PEND_SIGNAL);
	me = rt_enter();
	CHECK(lot_interrupt(sleeper, WAIT_SIGNAL));
	rt_leave(me);
	WAIT_FOR(load_acquire(&in_handler));
	CHECK(barrier_wait(&pair));
	CHECK(load_acquire(&pair.away) == 1);
	d = spawn(destroy, NULL);
	store_release(&handler_may_end, 1);
	join(t);
	join(d);
	CHECK(load_acquire(&pair.away) == 0);
	sched_hooks.pending = NULL;
}

static struct au32 once, tries, runs;

static void *first(void *arg)
{
	if (once_begin(&once)) {
		bool is_good = fetch_add(&tries, 1) > 0;	/* the first try fails */

		usleep(5000);
		if (is_good)
			fetch_add(&runs, 1);
		once_end(&once, is_good);
	}
	return arg;
}

static void test_once(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(first, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(load_relaxed(&tries) == 2 && load_relaxed(&runs) == 1);
	CHECK(!once_begin(&once));
}

/* A routine that ran when the process forked does not run in the child, and is begun again there. */
static void test_once_after_fork(void)
{
	struct au32 word = { 0 };

	CHECK(once_begin(&word));
	lot_fork_child();
	CHECK(once_begin(&word));
	once_end(&word, true);
	CHECK(!once_begin(&word));
}

int main(void)
{
	pthread_t t[THREADS];

	alarm(60);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(rounds, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(load_relaxed(&serials) == ROUNDS);
	test_away();
	test_once();
	test_once_after_fork();
	return 0;
}

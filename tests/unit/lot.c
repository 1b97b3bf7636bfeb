// SPDX-License-Identifier: BSD-2-Clause
/* The parking lot: order, limits, interruptions, requeues, and who may end which wait. */
#include "../../src/sync/futex.h"
#include "threads.h"

static struct au32 word, other;
static int order[16];
static struct au32 norder;

struct waiter {
	int number, flags;
	uint64_t arg, deadline_ns;
	enum wait_result result;
	struct thread *_Atomic self;
	pthread_t thread;
};

static void *wait_body(void *arg)
{
	struct waiter *w = arg;
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, &word, WAIT_PARK, w->flags);

	w->self = me;
	me->wait_arg = w->arg;
	lot_queue(me, b);
	w->result = lot_sleep(me, w->deadline_ns);
	rt_leave(me);
	order[fetch_add(&norder, 1)] = w->number;
	return NULL;
}

/* Starts w and returns when it is the n-th in the queue. */
static void start(struct waiter *w, int n)
{
	if (!w->deadline_ns)
		w->deadline_ns = NEVER;
	w->self = NULL;
	w->thread = spawn(wait_body, w);
	WAIT_FOR(queued(&word) == n);
}

static int wake(const void *key, int n)
{
	struct thread *me = rt_enter();
	int count = lot_wake(key, n);

	rt_leave(me);
	return count;
}

static bool interrupt(struct thread *t, uint32_t bit, enum wait_result why)
{
	struct thread *me;
	bool did;

	fetch_or(&t->pending, bit);
	me = rt_enter();
	did = lot_interrupt(t, why);
	rt_leave(me);
	return did;
}

static void test_oldest_first(void)
{
	struct waiter w[4] = { { .number = 0 }, { .number = 1 }, { .number = 2 },
			       { .number = 3, .flags = LOT_LIFO } };

	store_relaxed(&norder, 0);
	for (int i = 0; i < 4; i++)
		start(&w[i], i + 1);
	for (int i = 0; i < 4; i++) {
		CHECK(wake(&word, 1) == 1);
		WAIT_FOR(load_acquire(&norder) == (uint32_t)i + 1);
	}
	CHECK(wake(&word, 1) == 0);
	CHECK(order[0] == 3 && order[1] == 0 && order[2] == 1 && order[3] == 2);
	for (int i = 0; i < 4; i++) {
		join(w[i].thread);
		CHECK(w[i].result == WAIT_WOKEN);
	}
}

static void test_by_bits(void)
{
	struct waiter w[3] = { { .arg = 1 }, { .arg = 2 }, { .arg = 3 } };
	struct thread *me;

	for (int i = 0; i < 3; i++)
		start(&w[i], i + 1);
	me = rt_enter();
	CHECK(lot_wake_bits(&word, 4, 10) == 0);
	CHECK(lot_wake_bits(&word, 2, 10) == 2);
	CHECK(lot_wake_bits(&word, 0, 10) == 1);
	rt_leave(me);
	for (int i = 0; i < 3; i++)
		join(w[i].thread);
}

static void test_time_limit(void)
{
	uint64_t before = now_ns();
	struct waiter w = { .deadline_ns = in_ms(30) };

	wait_body(&w);
	CHECK(w.result == WAIT_TIMEOUT);
	CHECK(now_ns() - before >= 30 * NS_PER_MS);
	CHECK(queued(&word) == 0);
	w.deadline_ns = 1;		/* long past */
	wait_body(&w);
	CHECK(w.result == WAIT_TIMEOUT);
}

/* A timer that fires for an earlier wait of the same thread ends nothing. */
static void test_late_timer(void)
{
	struct waiter w = { 0 };
	struct thread *me;

	lot_init();
	start(&w, 1);
	me = rt_enter();
	sched_hooks.timeout(w.self, load_relaxed(&((struct thread *)w.self)->wait_seq) - 1);
	rt_leave(me);
	CHECK(queued(&word) == 1);
	me = rt_enter();
	sched_hooks.timeout(w.self, load_relaxed(&((struct thread *)w.self)->wait_seq));
	rt_leave(me);
	join(w.thread);
	CHECK(w.result == WAIT_TIMEOUT);
}

static void test_interruption(void)
{
	struct waiter plain = { 0 }, signals = { .flags = LOT_SIGNALS },
		      all = { .flags = LOT_INTERRUPTIBLE };

	start(&plain, 1);
	CHECK(!interrupt(plain.self, PEND_SIGNAL, WAIT_SIGNAL));
	CHECK(wake(&word, 1) == 1);
	join(plain.thread);

	start(&signals, 1);
	CHECK(!interrupt(signals.self, PEND_CANCEL, WAIT_CANCEL));
	CHECK(interrupt(signals.self, PEND_SIGNAL, WAIT_SIGNAL));
	join(signals.thread);
	CHECK(signals.result == WAIT_SIGNAL);

	start(&all, 1);
	CHECK(interrupt(all.self, PEND_CANCEL, WAIT_CANCEL));
	join(all.thread);
	CHECK(all.result == WAIT_CANCEL);
	CHECK(wake(&word, 1) == 0);
}

/* What was pending before the wait ends it at once, and is then taken back. */
static void test_pending_before(void)
{
	struct waiter w = { .flags = LOT_INTERRUPTIBLE, .deadline_ns = in_ms(5000) };
	struct thread *me = thread_self();

	fetch_or(&me->pending, PEND_CANCEL);
	wait_body(&w);
	CHECK(w.result == WAIT_CANCEL);
	CHECK(!(load_relaxed(&me->pending) & PEND_CANCEL));
	w.deadline_ns = in_ms(10);
	wait_body(&w);
	CHECK(w.result == WAIT_TIMEOUT);
}

/* A handler of the sleeper's own kernel thread only sets the bit; nobody calls lot_interrupt. */
static void set_pending(int sig)
{
	(void)sig;
	fetch_or(&self_ptr->pending, PEND_SIGNAL);
}

static void test_pending_while_asleep(void)
{
	struct waiter w = { .flags = LOT_INTERRUPTIBLE };

	signal(SIGUSR1, set_pending);
	for (int i = 0; i < 200; i++) {
		start(&w, 1);
		usleep((useconds_t)i);		/* before, in and after the way to sleep */
		pthread_kill(w.thread, SIGUSR1);
		join(w.thread);
		CHECK(w.result == WAIT_SIGNAL);
		CHECK(queued(&word) == 0);
	}
}

static int requeue(const struct au32 *to, int n)
{
	struct futex_two two = { .from = &word, .to = to, .move = n };

	return futex_requeue(&two);
}

static void test_requeue(void)
{
	struct waiter w[3] = { { 0 }, { .deadline_ns = in_ms(100) }, { .flags = LOT_INTERRUPTIBLE } };

	for (int i = 0; i < 3; i++)
		start(&w[i], i + 1);
	CHECK(requeue(&word, 3) == 3);
	CHECK(requeue(&other, 5) == 3);
	CHECK(queued(&word) == 0 && queued(&other) == 3);
	CHECK(wake(&word, 3) == 0);
	/* Each kind of end finds it in the new queue. */
	CHECK(interrupt(w[2].self, PEND_SIGNAL, WAIT_SIGNAL));
	join(w[1].thread);
	CHECK(w[1].result == WAIT_TIMEOUT);
	CHECK(wake(&other, 3) == 1);
	join(w[0].thread);
	join(w[2].thread);
	CHECK(w[0].result == WAIT_WOKEN && w[2].result == WAIT_SIGNAL);
}

static void test_word(void)
{
	struct thread *me;

	store_relaxed(&word, 5);
	me = rt_enter();
	CHECK(lot_wait_word(me, &word, 4, NEVER, WAIT_PARK, 0) == WAIT_AGAIN);
	CHECK(lot_wait_word(me, &word, 5, in_ms(5), WAIT_PARK, 0) == WAIT_TIMEOUT);
	rt_leave(me);
}

/* Wakes, limits and interruptions at once: each wait ends once, with one reason. */
enum { THREADS = 6, WAITS = 3000 };
static struct thread *_Atomic racing[THREADS];
static struct au32 running, ends[5];

static void *race_body(void *arg)
{
	struct thread *me = thread_self();

	racing[(intptr_t)arg] = me;
	for (int i = 0; i < WAITS; i++) {
		rt_enter();
		lot_queue(me, lot_begin(me, &word, WAIT_PARK, LOT_INTERRUPTIBLE));
		fetch_add(&ends[lot_sleep(me, now_ns() + (i % 3) * 50 * NS_PER_US)], 1);
		rt_leave(me);
	}
	racing[(intptr_t)arg] = NULL;
	fetch_sub(&running, 1);
	return NULL;
}

static void test_races(void)
{
	pthread_t t[THREADS];
	uint32_t woken = 0;

	store_relaxed(&running, THREADS);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(race_body, (void *)(intptr_t)i);
	for (int i = 0; load_acquire(&running); i++) {
		struct thread *victim = racing[i % THREADS];

		woken += (uint32_t)wake(&word, 1);
		if (victim)
			interrupt(victim, PEND_SIGNAL, WAIT_SIGNAL);
	}
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(woken == load_relaxed(&ends[WAIT_WOKEN]));
	CHECK(woken + load_relaxed(&ends[WAIT_TIMEOUT]) + load_relaxed(&ends[WAIT_SIGNAL]) ==
	      THREADS * WAITS);
	CHECK(queued(&word) == 0);
}

int main(void)
{
	alarm(60);
	test_oldest_first();
	test_by_bits();
	test_time_limit();
	test_late_timer();
	test_interruption();
	test_pending_before();
	test_pending_while_asleep();
	test_requeue();
	test_word();
	test_races();
	return 0;
}

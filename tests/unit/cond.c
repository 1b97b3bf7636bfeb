// SPDX-License-Identifier: BSD-2-Clause
/* Conditions: one wake for one, all for all, counts that end at 0 however a wait ends. */
#include "threads.h"

#include "sync/cond.h"
#include "sync/mutex.h"

enum { THREADS = 8 };

static const struct deadline forever;
static struct cond cond;
static struct au32 word, woken;
static struct thread *_Atomic sleeper;
static int release_error;

static int release(struct thread *me, void *mutex)
{
	(void)me;
	if (release_error)
		return -release_error;
	return xchg_seq_cst((struct au32 *)mutex, MUTEX_FREE) == MUTEX_WAITED;
}

static void release_wake(void *mutex)
{
	mutex_wake(mutex);
}

static const struct cond_mutex cm = { release, release_wake, &word, &word, NULL, WAIT_COND, NULL };

static void take(void)
{
	if (!mutex_try(&word, MUTEX_HELD))
		CHECK(mutex_lock_slow(&word, MUTEX_HELD, NULL, forever) == 0);
}

static void *waiter(void *arg)
{
	struct cond_progress p;

	sleeper = thread_self();
	take();
	CHECK(cond_wait(&cond, &cm, NEVER, &p) == 0);
	CHECK(p.why == WAIT_WOKEN);
	fetch_add(&woken, 1);
	return arg;
}

static void start(pthread_t *t, int n)
{
	store_relaxed(&woken, 0);
	for (int i = 0; i < n; i++) {
		t[i] = spawn(waiter, NULL);
		WAIT_FOR(queued(lot_key(&cond, LOT_COND)) == i + 1);
	}
	CHECK(load_relaxed(&cond.waiters) == (uint32_t)n);
	CHECK(load_relaxed(&word) == MUTEX_FREE);
}

static void test_one_and_all(void)
{
	pthread_t t[THREADS];

	start(t, THREADS);
	cond_wake(&cond, 1);
	WAIT_FOR(load_acquire(&woken) == 1);
	usleep(20000);
	CHECK(load_acquire(&woken) == 1);
	CHECK(load_relaxed(&cond.waiters) == THREADS - 1);
	cond_wake(&cond, INT32_MAX);
	CHECK(load_relaxed(&cond.waiters) == 0);	/* it may be destroyed now */
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(load_acquire(&woken) == THREADS);
}

static void test_limit_and_error(void)
{
	struct cond_progress p;

	take();
	CHECK(cond_wait(&cond, &cm, in_ms(20), &p) == 0);
	CHECK(p.why == WAIT_TIMEOUT);
	CHECK(load_relaxed(&cond.waiters) == 0);
	release_error = EPERM;
	CHECK(cond_wait(&cond, &cm, NEVER, &p) == -EPERM);
	release_error = 0;
	CHECK(load_relaxed(&cond.waiters) == 0);
	CHECK(load_relaxed(&thread_self()->state) == T_RUNNING);
}

static void interrupt(struct thread *t, uint32_t bit, enum wait_result why)
{
	struct thread *me;

	fetch_or(&t->pending, bit);
	me = rt_enter();
	CHECK(lot_interrupt(t, why));
	rt_leave(me);
}

/* After a signal's handler the wait goes on, and is still the one that a wake ends. */
static void test_signal(void)
{
	pthread_t t;

	start(&t, 1);
	interrupt(sleeper, PEND_SIGNAL, WAIT_SIGNAL);
	WAIT_FOR(queued(lot_key(&cond, LOT_COND)) == 1);
	CHECK(load_relaxed(&cond.waiters) == 1);
	cond_wake(&cond, 1);
	join(t);
	CHECK(load_relaxed(&cond.waiters) == 0);
}

/* A wake that comes while the waiter is away, running a handler, is not lost. */
static struct au32 in_handler, handler_may_end;

static void slow_handler(struct thread *me, uint32_t bits, void *uc)
{
	(void)me, (void)bits;
	store_release(&in_handler, 1);
	while (!load_acquire(&handler_may_end))
		usleep(1000);
}

static void *destroy(void *arg)
{
	cond_destroy(arg);
	return NULL;
}

static void test_wake_during_handler(void)
{
	pthread_t t, d;

	sched_hooks.pending = slow_handler;
	start(&t, 1);
	interrupt(sleeper, PEND_SIGNAL, WAIT_SIGNAL);
	WAIT_FOR(load_acquire(&in_handler));
	CHECK(queued(lot_key(&cond, LOT_COND)) == 0);
	CHECK(cond_has_waiters(&cond));
	cond_wake(&cond, 1);
	d = spawn(destroy, &cond);
	store_release(&handler_may_end, 1);
	join(t);
	join(d);
	CHECK(!cond_has_waiters(&cond));
	sched_hooks.pending = NULL;
}

/* Many who are woken wait for the mutex; what else ends such a wait counts as the wake. */
enum { MANY = 20 };
static const struct cond_mutex moving = { release, release_wake, &word, &word, &word, WAIT_COND, NULL };
static struct au32 were_moved, were_woken;

static void *waits_to_be_moved(void *arg)
{
	struct cond_progress p;

	take();
	if (arg)
		sleeper = thread_self();
	CHECK(cond_wait(&cond, &moving, NEVER, &p) == 0);
	if (p.why == WAIT_MOVED) {
		mutex_lock_moved(&word, MUTEX_HELD);
		fetch_add(&were_moved, 1);
	} else {
		CHECK(p.why == WAIT_WOKEN);
		take();
		fetch_add(&were_woken, 1);
	}
	if (xchg_seq_cst(&word, MUTEX_FREE) == MUTEX_WAITED)
		mutex_unlock_slow(&word);
	return arg;
}

static void start_moving(pthread_t *t, int n, bool notes_first)
{
	store_relaxed(&were_moved, 0);
	store_relaxed(&were_woken, 0);
	for (int i = 0; i < n; i++) {
		t[i] = spawn(waits_to_be_moved, notes_first && !i ? &sleeper : NULL);
		WAIT_FOR(queued(lot_key(&cond, LOT_COND)) == i + 1);
	}
}

static void test_moved(void)
{
	pthread_t t[MANY];

	start_moving(t, MANY, true);
	take();
	cond_wake(&cond, INT32_MAX);
	CHECK(load_relaxed(&cond.waiters) == 0);	/* it may be destroyed now */
	CHECK(queued(lot_key(&cond, LOT_COND)) == 0);
	CHECK(queued(&word) == MANY);
	CHECK(load_relaxed(&word) == MUTEX_WAITED);
	interrupt(sleeper, PEND_SIGNAL, WAIT_SIGNAL);
	CHECK(queued(&word) >= MANY - 1);		/* or it waits there again, for itself */
	CHECK(load_relaxed(&cond.waiters) == 0);
	CHECK(xchg_seq_cst(&word, MUTEX_FREE) == MUTEX_WAITED);
	mutex_unlock_slow(&word);
	for (int i = 0; i < MANY; i++)
		join(t[i]);
	CHECK(load_relaxed(&were_moved) == MANY - 1 && load_relaxed(&were_woken) == 1);
	CHECK(load_relaxed(&cond.waiters) == 0);
}

static void test_free_and_single(void)
{
	pthread_t t[MANY];

	start_moving(t, MANY, false);
	cond_wake(&cond, INT32_MAX);			/* nobody holds it: the first one takes it */
	CHECK(load_relaxed(&cond.waiters) == 0);
	for (int i = 0; i < MANY; i++)
		join(t[i]);
	CHECK(load_relaxed(&were_moved) == MANY);
	start_moving(t, MANY, false);
	take();
	cond_wake(&cond, 1);				/* no broadcast */
	CHECK(queued(lot_key(&cond, LOT_COND)) == MANY - 1);
	cond_wake(&cond, INT32_MAX);
	if (xchg_seq_cst(&word, MUTEX_FREE) == MUTEX_WAITED)
		mutex_unlock_slow(&word);
	for (int i = 0; i < MANY; i++)
		join(t[i]);
	CHECK(load_relaxed(&were_woken) == 1 && load_relaxed(&were_moved) == MANY - 1);
}

int main(void)
{
	alarm(60);
	test_one_and_all();
	test_limit_and_error();
	test_signal();
	test_wake_during_handler();
	test_moved();
	test_free_and_single();
	return 0;
}

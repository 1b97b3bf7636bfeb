// SPDX-License-Identifier: BSD-2-Clause
#include "cond.h"

#include "../sys/sys.h"

static const void *key_of(struct cond *c)
{
	return lot_key(c, LOT_COND);
}

/* Under the bucket's lock, which makes a plain sum atomic. */
static void count_waiters(struct cond *c, int delta)
{
	store_release(&c->waiters, load_relaxed(&c->waiters) + (uint32_t)delta);
}

/* Ends a wait that no waker ended. */
static COLD void uncount(struct cond *c)
{
	struct bucket *b = lot_lock(key_of(c));

	count_waiters(c, -1);
	lot_unlock(b);
}

/* After a signal handler: on with the wait that began when `wakes` was so. */
static COLD enum wait_result resume(struct thread *me, struct cond *c, const struct cond_mutex *cm,
				    uint32_t wakes, uint64_t deadline_ns)
{
	struct bucket *b = lot_begin(me, key_of(c), cm->kind, LOT_INTERRUPTIBLE);

	if (load_relaxed(&c->wakes) != wakes) {		/* guarded by b */
		count_waiters(c, -1);
		lot_abort(me, b);
		return WAIT_WOKEN;
	}
	me->wait_arg = (uintptr_t)cm->object;
	lot_queue(me, b);
	return lot_sleep(me, deadline_ns);
}

FLAT int cond_wait(struct cond *c, const struct cond_mutex *cm, uint64_t deadline_ns,
	      enum wait_result *ret_why)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(c), cm->kind, LOT_INTERRUPTIBLE);
	uint32_t wakes = load_relaxed(&c->wakes);	/* guarded by b */
	enum wait_result why;
	int released;

	me->wait_arg = (uintptr_t)cm->object;
	count_waiters(c, 1);
	released = cm->release(me, cm->mutex);
	if (released < 0) {
		count_waiters(c, -1);
		lot_abort(me, b);
		rt_leave(me);
		return released;
	}
	lot_queue(me, b);
	if (released)
		lot_then(me, cm->release_wake, cm->mutex);
	why = lot_sleep(me, deadline_ns);
	while (why == WAIT_SIGNAL) {
		rt_leave(me);
		me = rt_enter();
		why = resume(me, c, cm, wakes, deadline_ns);
	}
	if (why != WAIT_WOKEN)
		uncount(c);
	rt_leave(me);
	*ret_why = why;
	return 0;
}

FLAT void cond_wake(struct cond *c, int n)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(key_of(c));
	struct list woken;

	list_init(&woken);
	store_relaxed(&c->wakes, load_relaxed(&c->wakes) + 1);	/* guarded by b */
	count_waiters(c, -lot_take_some(b, key_of(c), 0, n, &woken));
	lot_unlock(b);
	lot_unpark_all(&woken);
	rt_leave(me);
}

/*
 * Only waiters that timed out or run a handler may still be counted, and they soon leave; those of
 * a forked child's parent never do, hence the limit.
 */
void cond_destroy(struct cond *c)
{
	uint64_t limit_ns;

	if (!cond_has_waiters(c))
		return;
	limit_ns = now_ns() + 100 * NS_PER_MS;
	while (cond_has_waiters(c) && now_ns() < limit_ns) {
		struct thread *me = rt_enter();

		sched_yield_now(me);
		rt_leave(me);
	}
}

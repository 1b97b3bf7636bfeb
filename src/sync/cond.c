// SPDX-License-Identifier: BSD-2-Clause
#include "cond.h"

#include "../sys/sys.h"
#include "mutex.h"

void cond_forget(struct cond *c)
{
	store_release(&c->waiters, 0);
	c->forks = lot_fork_count;
}

void cond_adopt(struct cond *c)
{
	struct bucket *b = lot_lock(cond_key(c));

	if (c->forks != lot_fork_count)
		cond_forget(c);
	cond_count(c, 1);
	lot_unlock(b);
}

void cond_uncount(struct cond *c)
{
	struct bucket *b = lot_lock(cond_key(c));

	cond_count(c, -1);
	lot_unlock(b);
}

enum wait_result cond_resume(struct thread *me, struct cond *c, const struct cond_mutex *cm,
			     uint32_t wakes, uint64_t deadline_ns)
{
	struct bucket *b = lot_begin(me, cond_key(c), cm->kind, LOT_INTERRUPTIBLE);

	if (load_relaxed(&c->wakes) != wakes) {		/* guarded by b */
		cond_count(c, -1);
		lot_abort(me, b);
		return WAIT_WOKEN;
	}
	me->wait_arg = (uintptr_t)cm->object;
	me->wait_mutex = cm->word;
	lot_queue(me, b);
	return lot_sleep(me, deadline_ns);
}

/* Who was woken passes the mutex on to the next; where it runs a signal handler first, that one need not wait for it. */
enum wait_result cond_end_moved(struct thread *me, struct au32 *word, enum wait_result why)
{
	if (why == WAIT_WOKEN && (load_relaxed(&me->pending) & PEND_SIGNAL))
		mutex_wake(word);
	return why == WAIT_WOKEN ? WAIT_MOVED : why == WAIT_CANCEL ? WAIT_CANCEL : WAIT_WOKEN;
}

/* The word of the mutex that the first waiter needs, and may be moved to; or NULL. */
static struct au32 *first_mutex(struct cond *c)
{
	struct bucket *b = lot_lock(cond_key(c));
	struct thread *t = lot_peek(b, cond_key(c), 0);
	struct au32 *word = t ? t->wait_mutex : NULL;

	lot_unlock(b);
	return word;
}

/*
 * Caller holds c's bucket b, and that of the mutex, which waiters keep.  Where it is free, the first of them goes
 * on as if a drop had just woken it.
 */
static int move_to_mutex(struct cond *c, struct bucket *b, struct bucket *mutex_b, struct au32 *word,
			 struct list *woken)
{
	struct thread *t = lot_peek(b, cond_key(c), 0);
	int first = 0;

	if (!t || t->wait_mutex != word)
		return 0;
	if (!mutex_mark(word)) {
		lot_take_this(b, t);
		t->wait_arg = WAIT_MOVED;
		list_push_back(woken, &t->wait_link);
		first = 1;
	}
	return first + lot_move_to_mutex(b, cond_key(c), mutex_b, word);
}

/* Caller holds c's bucket b, and leaves c alone when it has dropped that: whom it takes may destroy it. */
static void take(struct cond *c, struct bucket *b, int n, int moved, struct list *woken)
{
	store_relaxed(&c->wakes, load_relaxed(&c->wakes) + 1);	/* guarded by b */
	cond_count(c, -moved - lot_take_some(b, cond_key(c), 0, n, woken));
}

/*
 * Many who are woken at once would all run to queue for the mutex, and be woken again: they are moved to its
 * queue instead, and each drop wakes one.  A few are better woken: they find vprocs the sooner.
 */
static COLD bool wake_many(struct cond *c, struct list *woken)
{
	struct au32 *word = lot_has_ranks() ? NULL : first_mutex(c);
	struct bucket *b, *mutex_b;

	if (!word)
		return false;
	lot_lock_two(cond_key(c), word, &b, &mutex_b);
	take(c, b, INT32_MAX, move_to_mutex(c, b, mutex_b, word, woken), woken);
	lot_unlock_two(b, mutex_b);
	return true;
}

FLAT void cond_wake(struct cond *c, int n)
{
	enum { FEW = 16 };
	struct thread *me = rt_enter();
	struct list woken;

	list_init(&woken);
	/* relaxed: a guess, either way is right */
	if (likely(n == 1 || load_relaxed(&c->waiters) <= FEW) || !wake_many(c, &woken)) {
		struct bucket *b = lot_lock(cond_key(c));

		take(c, b, n, 0, &woken);
		lot_unlock(b);
	}
	lot_unpark_all(&woken);
	rt_leave(me);
}

/* Nothing of c is touched but by who is counted, or where another is queued, which keeps it. */
void cond_forsake(struct cond *c, const struct cond_progress *p)
{
	struct thread *me = rt_enter(), *t = NULL;
	struct bucket *b = lot_lock(cond_key(c));
	bool was_woken = p->why == WAIT_WOKEN || p->why == WAIT_MOVED;

	if (p->why == WAIT_SIGNAL && p->forks == lot_fork_count) {
		was_woken = load_relaxed(&c->wakes) != p->wakes;	/* guarded by b */
		cond_count(c, -1);
	}
	if (was_woken)
		t = lot_take(b, cond_key(c));
	if (t) {
		store_relaxed(&c->wakes, load_relaxed(&c->wakes) + 1);	/* guarded by b */
		cond_count(c, -1);
	}
	lot_unlock(b);
	if (t)
		unpark(t);
	rt_leave(me);
}

/*
 * Only waiters that timed out or run a handler may still be counted, and they soon leave, if their kernel threads
 * get a processor; those of a forked child's parent never do, nor one that jumped out of its handler.  If nobody has
 * waited since the fork, there may be one more: who forked in its handler.
 */
void cond_destroy(struct cond *c)
{
	uint64_t limit_ns;

	if (!cond_has_waiters(c))
		return;
	limit_ns = now_ns() + (c->forks != lot_fork_count ? 100 * NS_PER_MS : 10 * NS_PER_S);
	while (cond_has_waiters(c) && now_ns() < limit_ns)
		sched_yield_now();
}

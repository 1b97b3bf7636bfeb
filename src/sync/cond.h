// SPDX-License-Identifier: BSD-2-Clause
/*
 * A condition: who waits on it is in the parking lot; the object itself only counts.
 *
 * `waiters` counts the threads between the start of their wait and its end: raised by the waiter
 * while it still holds the mutex, lowered by whoever ends the wait.  A waker that finds 0 does
 * nothing: a waiter that it ought to have seen raised the count before it gave up the mutex.  A
 * waker lowers the count for those it takes, so that an object may be destroyed right after a
 * broadcast; a waiter that leaves for another reason lowers it itself, and cond_destroy waits for
 * those.
 *
 * A broadcast moves those who wait to the queue of the mutex that they need next, instead of waking them, where
 * they are many.  Nothing of the condition is theirs any more then, as if they had been woken.
 *
 * A waiter that goes to run a signal handler stays counted and later waits on, unless `wakes` moved
 * meanwhile: then it returns, because one of those wakes may have been meant for it.
 *
 * In a forked child the parent's waiters are still counted, until one of the child's own comes: `forks` tells.
 */
#ifndef UPCALL_COND_H
#define UPCALL_COND_H

#include "lot.h"

struct cond {
	struct au32 waiters;	/* written under the bucket's lock, read anywhere */
	struct au32 wakes;	/* both ditto */
	int clock;		/* of pthread_cond_timedwait; 0 is CLOCK_REALTIME */
	uint32_t forks;		/* lot_fork_count when those began who count; guarded by the bucket's lock */
};

/* How a wait gives the mutex up: see posix_mutex_release. */
struct cond_mutex {
	int (*release)(struct thread *me, void *mutex);
	void (*release_wake)(void *lock);
	void *mutex;
	void *lock;		/* for release_wake: the mutex may be gone by then, but for an address in it */
	struct au32 *word;	/* its lock, where that is all there is to taking it; or NULL */
	enum wait_kind kind;	/* for people: what they wait for, and of what that is a part, or NULL */
	const void *object;
};

/* How far a wait has got, for who is unwound out of one of its signal handlers. */
struct cond_progress {
	enum wait_result why;	/* WAIT_AGAIN: the mutex is held; WAIT_SIGNAL: it waits, is counted, and */
	uint32_t wakes, forks;	/* these were so */
};

#pragma GCC visibility push(hidden)
/* Of cond_wait, under the bucket's lock: those who are counted stayed in the parent process; */
COLD void cond_forget(struct cond *c);
/* but the caller, who forked in a signal handler amid its wait; */
COLD void cond_adopt(struct cond *c);
/* ends a wait that no waker ended; */
COLD void cond_uncount(struct cond *c);
/* after a signal handler, on with the wait that began when `wakes` was so; */
COLD enum wait_result cond_resume(struct thread *me, struct cond *c, const struct cond_mutex *cm,
				  uint32_t wakes, uint64_t deadline_ns);
/* it was woken as a waiter of the mutex, or by something else after the broadcast that made it one. */
COLD enum wait_result cond_end_moved(struct thread *me, struct au32 *word, enum wait_result why);
void cond_wake(struct cond *c, int n);
/* Outside the runtime.  It is not to go on with its wait: a wake that may have been meant for it goes to another. */
COLD void cond_forsake(struct cond *c, const struct cond_progress *p);
void cond_destroy(struct cond *c);
#pragma GCC visibility pop

/* Acquire: a waker without the mutex that sees the waiter also sees what it did before. */
static inline bool cond_has_waiters(struct cond *c)
{
	return load_acquire(&c->waiters) != 0;
}

static inline const void *cond_key(struct cond *c)
{
	return lot_key(c, LOT_COND);
}

/* Under the bucket's lock, which makes a plain sum atomic. */
static inline void cond_count(struct cond *c, int delta)
{
	store_release(&c->waiters, load_relaxed(&c->waiters) + (uint32_t)delta);
}

/*
 * Outside the runtime.  Gives the mutex up and waits; does not take it back.  -errno of release, and *ret_p is as it
 * was.  After WAIT_MOVED mutex_lock_moved does: the caller was woken from the mutex's queue.  Part of its callers, so
 * that the compiler knows how they give the mutex up.
 */
static inline __attribute__((always_inline)) int cond_wait(struct cond *c, const struct cond_mutex *cm,
							   uint64_t deadline_ns, struct cond_progress *ret_p)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, cond_key(c), cm->kind, LOT_INTERRUPTIBLE);
	uint32_t wakes = load_relaxed(&c->wakes);	/* guarded by b */
	uint32_t forks = lot_fork_count;
	enum wait_result why;
	int released;

	me->wait_arg = (uintptr_t)cm->object;
	me->wait_mutex = cm->word;
	if (unlikely(c->forks != forks))
		cond_forget(c);
	cond_count(c, 1);
	released = cm->release(me, cm->mutex);
	if (unlikely(released < 0)) {
		cond_count(c, -1);
		lot_abort(me, b);
		rt_leave(me);
		return released;
	}
	lot_queue(me, b);
	if (unlikely(released))
		lot_then(me, cm->release_wake, cm->lock);
	why = lot_sleep(me, deadline_ns);
	while (unlikely(why == WAIT_SIGNAL) && me->wait_arg != WAIT_MOVED) {
		*ret_p = (struct cond_progress){ why, wakes, forks };
		rt_leave(me);
		me = rt_enter();
		if (unlikely(forks != lot_fork_count)) {
			forks = lot_fork_count;
			cond_adopt(c);
		}
		why = cond_resume(me, c, cm, wakes, deadline_ns);
	}
	if (unlikely(me->wait_arg == WAIT_MOVED))
		why = cond_end_moved(me, cm->word, why);
	else if (unlikely(why != WAIT_WOKEN))
		cond_uncount(c);
	ret_p->why = why;
	rt_leave(me);
	return 0;
}

#endif

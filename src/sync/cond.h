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
 */
#ifndef UPCALL_COND_H
#define UPCALL_COND_H

#include "lot.h"

struct cond {
	struct au32 waiters;	/* written under the bucket's lock, read anywhere */
	struct au32 wakes;	/* both ditto */
	int clock;		/* of pthread_cond_timedwait; 0 is CLOCK_REALTIME */
};

/* How a wait gives the mutex up: see posix_mutex_release. */
struct cond_mutex {
	int (*release)(struct thread *me, void *mutex);
	void (*release_wake)(void *mutex);
	void *mutex;
	struct au32 *word;	/* its lock, where that is all there is to taking it; or NULL */
	enum wait_kind kind;	/* for people: what they wait for, and of what that is a part, or NULL */
	const void *object;
};

#pragma GCC visibility push(hidden)
/*
 * Outside the runtime.  Gives the mutex up and waits; does not take it back.  -errno of release.  After
 * WAIT_MOVED mutex_lock_moved does: the caller was woken from the mutex's queue.
 */
int cond_wait(struct cond *c, const struct cond_mutex *cm, uint64_t deadline_ns,
	      enum wait_result *ret_why);
void cond_wake(struct cond *c, int n);
void cond_destroy(struct cond *c);
#pragma GCC visibility pop

/* Acquire: a waker without the mutex that sees the waiter also sees what it did before. */
static inline bool cond_has_waiters(struct cond *c)
{
	return load_acquire(&c->waiters) != 0;
}

#endif

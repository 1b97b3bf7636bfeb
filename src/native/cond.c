// SPDX-License-Identifier: BSD-2-Clause
/*
 * Conditions.  The wait gives the mutex up after it is queued, so no signal falls between, and takes
 * it back however the wait ended.
 */
#include "../sync/cond.h"

#include "mutex.h"

ASSERT_FITS(struct cond, struct upcall_cond);

static inline struct cond *native_cond(struct upcall_cond *c)
{
	return (struct cond *)c;
}

/* Inside the runtime, holding the condition's bucket: more than 0 when release_wake must follow. */
static int release(struct thread *me, void *mutex)
{
	struct native_mutex *m = mutex;
	const struct au32 *word = &m->word;

	if (likely(native_mutex_is_plain(m, me)))
		return xchg_seq_cst(&m->word, MUTEX_FREE) & MUTEX_WAITED;
	if (native_mutex_is_owned(m)) {
		/* relaxed: it is us only if we wrote it */
		if (m->kind != UPCALL_MUTEX_NORMAL && load_relaxed(&m->owner) != me)
			return -EPERM;
		store_relaxed(&m->owner, NULL);
		m->depth = 0;			/* all of it; the waiter knows how often it had it */
	}
	told_release(m);

	bool is_waited = xchg_seq_cst(&m->word, MUTEX_FREE) & MUTEX_WAITED;

	if (is_waited && sched_has_priorities)
		inherit_return(me, word);	/* it may be another's by now, or gone: the address counts */
	return is_waited;
}

static void release_wake(void *mutex)
{
	struct native_mutex *m = mutex;

	mutex_wake(&m->word);
}

FLAT ARCH_SWITCHES int native_cond_wait(struct upcall_cond *cond, struct upcall_mutex *mutex, uint64_t deadline_ns,
		     enum wait_kind kind, const void *object)
{
	struct native_mutex *m = native_mutex(mutex);
	const struct thread *me = thread_self();
	struct au32 *word = native_mutex_is_owned(m) ? NULL : &m->word;
	struct cond_mutex cm = { release, release_wake, m, m, word, kind, object };
	uint32_t depth = m->depth;
	struct cond_progress progress;
	int err = cond_wait(native_cond(cond), &cm, deadline_ns, &progress);

	if (err)
		return err;
	enum wait_result why = progress.why;

	if (unlikely(why == WAIT_MOVED)) {
		mutex_lock_moved(&m->word, native_mutex_held(me));
		told_acquire(m);
		return 0;
	}
	if (likely(native_mutex_take(m, me)))
		return error_of(why);
	native_mutex_wait(m, UPCALL_NEVER);
	if (native_mutex_is_owned(m)) {
		native_mutex_own(m);
		m->depth = depth;
	}
	return error_of(why);
}

int upcall_cond_wait_until(struct upcall_cond *cond, struct upcall_mutex *mutex, uint64_t deadline_ns)
{
	return native_cond_wait(cond, mutex, deadline_ns, WAIT_COND, NULL);
}

int upcall_cond_wait(struct upcall_cond *cond, struct upcall_mutex *mutex)
{
	return upcall_cond_wait_until(cond, mutex, UPCALL_NEVER);
}

void upcall_cond_signal(struct upcall_cond *cond)
{
	if (cond_has_waiters(native_cond(cond)))
		cond_wake(native_cond(cond), 1);
}

void upcall_cond_broadcast(struct upcall_cond *cond)
{
	if (cond_has_waiters(native_cond(cond)))
		cond_wake(native_cond(cond), INT32_MAX);
}

void upcall_cond_destroy(struct upcall_cond *cond)
{
	cond_destroy(native_cond(cond));
}

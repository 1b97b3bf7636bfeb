// SPDX-License-Identifier: BSD-2-Clause
/*
 * Mutexes: the types of POSIX on the one-word lock of sync/mutex.h.
 *
 * Private mutexes with a protocol are plain ones but for real-time threads: priority.h; and where the
 * policy minds priorities, those of user threads are lent as sync/inherit.h says.  Robust
 * mutexes are libc's, and process-shared ones but those that no other process can see (home.h); a thread
 * that blocks in a robust one holds its kernel thread, in another shared one it need not (shared.c).  Where
 * the kernel must know the owner (shared ones that are robust or inherit priority), the thread that locks
 * gets a kernel thread of its own for good.
 */
#include "mutex.h"

#include <errno.h>
#include <stddef.h>

#include "../sys/sys.h"
#include "../thread/tls.h"
#include "alias.h"
#include "priority.h"
#include "real.h"
#include "shared.h"

_Static_assert(offsetof(struct mutex, kind) == offsetof(pthread_mutex_t, __data.__kind), "layout");
_Static_assert(offsetof(struct mutex, owner) == offsetof(pthread_mutex_t, __data.__owner), "layout");

static const struct deadline forever;

static inline int own(struct mutex *m, int tid)
{
	m->owner = tid;
	m->users++;
	return 0;
}

static inline int reown(struct mutex *m)
{
	if (unlikely(m->count == UINT32_MAX))
		return EAGAIN;
	m->count++;
	return 0;
}

static inline bool is_foreign(const struct mutex *m)
{
	return (m->kind & KIND_FOREIGN) && ((m->kind & KIND_ROBUST) || !home_is_private(&m->home));
}

static inline struct au32 *word_of(struct mutex *m)
{
	return unlikely(m->kind & KIND_PP) ? &m->ceiling_word : &m->word;
}

/* Only the owner may unlock it, and libc says so: of those that inherit, whatever their type, as the kernel does. */
static inline bool is_owners(const struct mutex *m)
{
	int type = m->kind & KIND_TYPE;

	return (m->kind & KIND_PI) || type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

/* Do those who wait for it lend their priorities as the policy knows them? */
static inline bool is_lending(const struct mutex *m)
{
	return unlikely(sched_has_priorities) && (m->kind & KIND_PI);
}

static int wait_for_word(struct mutex *m, struct deadline until)
{
	return is_lending(m) ? mutex_lock_lending(&m->word, MUTEX_HELD, &m->lends_to, until) :
	       mutex_lock_slow(word_of(m), MUTEX_HELD, &m->owner, until);
}

/* Of those of libc's: does the kernel know who owns it, or is it told of the owner's priority? */
static bool is_kernels(const struct mutex *m)
{
	return (m->kind & KIND_SHARED) && (m->kind & (KIND_ROBUST | KIND_PI | KIND_PP)) && sched_is_started;
}

/* Before libc's lock, which names the owner to the kernel: 0 or EAGAIN. */
static int bind_for(const struct mutex *m)
{
	if (is_kernels(m))
		return bind_self();
	if (!sched_is_started && (m->kind & KIND_PI) && !(m->kind & KIND_ROBUST))	/* robust ones are in a list */
		bind_main_later();
	return 0;
}

/* The same, but that it waits where no kernel thread is to be had, which is no error to libc: 0 or ETIMEDOUT. */
static int bind_to_lock(const struct mutex *m, struct deadline until)
{
	int err;

	for (unsigned tries = 1; (err = bind_for(m)) == EAGAIN; tries++) {
		if (deadline_is_past(until))
			return ETIMEDOUT;
		bind_await_kernel_thread(tries);
	}
	return err;
}

struct naming posix_mutex_naming_begin(const pthread_mutex_t *m)
{
	struct thread *me = thread_self();
	struct naming n = { NULL, 0 };

	if (!is_kernels((const struct mutex *)m) || !me->is_one_to_one)
		return n;
	int tid = sched_tid_of(me);

	n = (struct naming){ me->tls, tls_get_tid(me->tls) };
	tls_set_tid(n.tls, tid ? tid : sys_gettid());
	if (!me->asks_policy) {		/* of a mutex with a ceiling: until now it has not wanted to know */
		me->asks_policy = true;
		tls_know_policy(me->tls, false);
	}
	return n;
}

void posix_mutex_naming_end(struct naming *n)
{
	if (n->tls)
		tls_set_tid(n->tls, n->was);
}

static __attribute__((noinline)) int lock_contended(struct mutex *m, struct deadline until, int tid)
{
	int err = mutex_lock_slow(&m->word, MUTEX_HELD, &m->owner, until);

	return err ? err : own(m, tid);
}

/* A wait in which the owner is looked at now and then: it may have changed. */
static int lock_inheriting(struct mutex *m, struct deadline until)
{
	uint64_t end_ns = deadline_ns(until);
	struct timespec at;
	int err;

	do {
		uint64_t next_ns = now_ns() + PRIORITY_LOOK_MS * NS_PER_MS;

		priority_inherit(m);
		at = (struct timespec){ (time_t)(next_ns / NS_PER_S), (long)(next_ns % NS_PER_S) };
		err = wait_for_word(m, (struct deadline){ .at = &at, .clock = CLOCK_MONOTONIC, .is_kernels = true });
	} while (err == ETIMEDOUT && (now_ns() < end_ns || !deadline_was_reached(until)));
	return err;
}

static int wait_for(struct mutex *m, struct deadline until)
{
	if (until.at && !deadline_is_valid(until.at))
		return EINVAL;
	if (until.at && (m->kind & KIND_PI) && until.at->tv_sec < 0)	/* the kernel's word, for libc's */
		return EINVAL;
	if (deadline_is_past(until))
		return ETIMEDOUT;
	if (unlikely((m->kind & KIND_PI) && priority_in_use))
		return lock_inheriting(m, until);
	return wait_for_word(m, until);
}

/* Those with a ceiling: its priority comes first. */
static int protect(struct mutex *m)
{
	if (likely(!(m->kind & KIND_PP) || !priority_in_use))
		return 0;
	return priority_protect(m, (int)(load_relaxed(&m->word) >> CEILING_SHIFT));	/* setprioceiling's */
}

/* It has been given up, and may be gone: the address counts. */
static void unprotect(struct mutex *m)
{
	if (priority_is_lent(thread_self()))
		priority_return(thread_self(), m);
}

/* It was not had.  One that the caller holds already, and wants in vain, it still holds. */
static int not_had(struct mutex *m, int err)
{
	if (m->owner != thread_self()->tid)
		unprotect(m);
	return err;
}

static int own_typed(struct mutex *m, int tid)
{
	m->count = 1;
	if (is_lending(m))
		mutex_name_owner(&m->word, &m->lends_to);
	return own(m, tid);
}

/* Every type of ours, with a limit or without. */
static __attribute__((noinline)) int lock_typed(struct mutex *m, struct deadline until)
{
	int tid = thread_self()->tid, type = m->kind & KIND_TYPE, err;

	if (type == PTHREAD_MUTEX_RECURSIVE && m->owner == tid)
		return reown(m);
	if (type == PTHREAD_MUTEX_ERRORCHECK && m->owner == tid)
		return EDEADLK;
	err = protect(m);
	if (err)
		return err;
	err = mutex_try(word_of(m), MUTEX_HELD) ? 0 : wait_for(m, until);
	if (err)
		return not_had(m, err);
	return own_typed(m, tid);
}

static int lock_real(pthread_mutex_t *m, struct deadline until)
{
	if (!until.at)
		return REAL(pthread_mutex_lock)(m);
	if (until.clock == CLOCK_REALTIME)
		return REAL(pthread_mutex_timedlock)(m, until.at);
	return REAL(pthread_mutex_clocklock)(m, until.clock, until.at);
}

static int lock_foreign(pthread_mutex_t *m, struct deadline until)
{
	int err;

	if (mutex_of(m)->kind & (KIND_ROBUST | KIND_PI | KIND_PP)) {
		err = bind_to_lock(mutex_of(m), until);
		return err ? err : NAMED(m, lock_real(m, until));
	}
	err = REAL(pthread_mutex_trylock)(m);
	return err == EBUSY ? SHARED_WAIT(lock_real(m, until)) : err;
}

static __attribute__((noinline)) int lock_rare(struct mutex *m)
{
	return is_foreign(m) ? lock_foreign((pthread_mutex_t *)m, forever) : lock_typed(m, forever);
}

static inline int lock_plain(struct mutex *m, const struct thread *me)
{
	if (unlikely(!mutex_try(&m->word, MUTEX_HELD)))
		return lock_contended(m, forever, me->tid);
	return own(m, me->tid);
}

/* The common ones of the other types call nothing, so that they save no registers either. */
static __attribute__((noinline)) int lock_other(struct mutex *m)
{
	struct thread *me = self_ptr;
	int kind = m->kind & KIND_ALL;

	if (kind == PTHREAD_MUTEX_ADAPTIVE_NP && likely(me))
		return lock_plain(m, me);
	if (kind == PTHREAD_MUTEX_RECURSIVE && likely(me)) {
		if (m->owner == me->tid)
			return reown(m);
		if (likely(mutex_try(&m->word, MUTEX_HELD))) {
			m->count = 1;
			return own(m, me->tid);
		}
	}
	return lock_rare(m);
}

static inline __attribute__((always_inline)) int lock(pthread_mutex_t *handle)
{
	struct mutex *m = mutex_of(handle);
	struct thread *me = self_ptr;

	if (unlikely((m->kind & KIND_ALL) != PTHREAD_MUTEX_NORMAL || !me))
		return lock_other(m);
	return lock_plain(m, me);
}

static __attribute__((noinline)) int trylock_other(struct mutex *m)
{
	int tid, type;

	if (is_foreign(m)) {
		pthread_mutex_t *handle = (pthread_mutex_t *)m;
		int err = bind_for(m);

		return err ? err : NAMED(handle, REAL(pthread_mutex_trylock)(handle));
	}
	tid = thread_self()->tid;
	type = m->kind & KIND_TYPE;
	if (type == PTHREAD_MUTEX_RECURSIVE && m->owner == tid)
		return reown(m);
	if (type == PTHREAD_MUTEX_ERRORCHECK && (m->kind & (KIND_PI | KIND_PP)) && m->owner == tid)
		return EDEADLK;
	int err = protect(m);

	if (err)
		return err;
	if (!mutex_try(word_of(m), MUTEX_HELD))
		return not_had(m, EBUSY);
	return own_typed(m, tid);
}

static inline int trylock(pthread_mutex_t *handle)
{
	struct mutex *m = mutex_of(handle);
	struct thread *me = self_ptr;

	if (unlikely((m->kind & KIND_ALL) != PTHREAD_MUTEX_NORMAL || !me))
		return trylock_other(m);
	return mutex_try(&m->word, MUTEX_HELD) ? own(m, me->tid) : EBUSY;
}

/* 0: ready to be dropped; EPERM; EAGAIN: was held more than once. */
static int disown(struct mutex *m)
{
	if (is_owners(m)) {
		if (m->owner != thread_self()->tid || load_relaxed(word_of(m)) == MUTEX_FREE)
			return EPERM;	/* relaxed: the owner's own store */
		if ((m->kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE && --m->count)
			return EAGAIN;
	}
	m->owner = 0;
	m->users--;
	return 0;
}

static int unlock_foreign(pthread_mutex_t *m)
{
	return NAMED(m, REAL(pthread_mutex_unlock)(m));
}

static void drop_typed(struct mutex *m)
{
	struct thread *owner;

	if (likely(!is_lending(m))) {
		mutex_drop(word_of(m));
		return;
	}
	owner = load_relaxed(&m->lends_to);		/* relaxed: it is us, who wrote it, or nobody */
	store_relaxed(&m->lends_to, NULL);		/* relaxed: the drop is a release; pairs: inherit.owner */
	if (xchg_seq_cst(&m->word, MUTEX_FREE) & MUTEX_WAITED)
		mutex_unlock_lending(&m->word, owner);
}

static inline int unlock_plain(struct mutex *m)
{
	m->owner = 0;
	m->users--;
	mutex_drop(&m->word);
	return 0;
}

static __attribute__((noinline)) int unlock_rare(struct mutex *m)
{
	int err;

	if (is_foreign(m))
		return unlock_foreign((pthread_mutex_t *)m);
	err = disown(m);
	if (err)
		return err == EAGAIN ? 0 : err;
	drop_typed(m);
	unprotect(m);
	return 0;
}

static __attribute__((noinline)) int unlock_other(struct mutex *m)
{
	struct thread *me = self_ptr;
	int kind = m->kind & KIND_ALL;

	if (kind == PTHREAD_MUTEX_ADAPTIVE_NP)
		return unlock_plain(m);
	if (kind == PTHREAD_MUTEX_RECURSIVE && likely(me && m->owner == me->tid && m->count)) {
		if (--m->count)
			return 0;
		return unlock_plain(m);
	}
	return unlock_rare(m);
}

static inline __attribute__((always_inline)) int unlock(pthread_mutex_t *handle)
{
	struct mutex *m = mutex_of(handle);

	if (unlikely((m->kind & KIND_ALL) != PTHREAD_MUTEX_NORMAL))
		return unlock_other(m);
	return unlock_plain(m);
}

int posix_mutex_lock(pthread_mutex_t *m)
{
	return lock(m);
}

int posix_mutex_trylock(pthread_mutex_t *m)
{
	return trylock(m);
}

int posix_mutex_unlock(pthread_mutex_t *m)
{
	return unlock(m);
}

int posix_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	const struct deadline limit = { .at = until, .clock = clock };

	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return is_foreign(mutex_of(m)) ? lock_foreign(m, limit) : lock_typed(mutex_of(m), limit);
}

void posix_mutex_prepare(pthread_mutex_t *m)
{
	if (unlikely(is_foreign(mutex_of(m))))
		(void)REAL(pthread_mutex_unlock);
}

/* libc's unlock neither sleeps nor allocates, so it is allowed here. */
int posix_mutex_release(struct thread *me, pthread_mutex_t *handle)
{
	struct mutex *m = mutex_of(handle);

	if (unlikely(is_foreign(m)))
		return -unlock_foreign(handle);
	if (is_owners(m) && m->owner != me->tid)
		return -EPERM;
	if ((m->kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE && --m->count)
		return 0;		/* held more than once: stays held, as with glibc */
	m->owner = 0;
	bool lends = is_lending(m);

	if (lends)
		store_relaxed(&m->lends_to, NULL);	/* relaxed: as in drop_typed */
	struct au32 *word = word_of(m);
	int is_waited = xchg_seq_cst(word, MUTEX_FREE) & MUTEX_WAITED;

	if (is_waited && lends)
		inherit_return(me, word);	/* it may be another's by now, or gone: the address counts */
	if (priority_is_lent(me))
		priority_return(me, m);
	return is_waited;
}

struct au32 *posix_mutex_word(pthread_mutex_t *handle)
{
	struct mutex *m = mutex_of(handle);
	int kind = m->kind & KIND_ALL;

	return kind == PTHREAD_MUTEX_NORMAL || kind == PTHREAD_MUTEX_ADAPTIVE_NP ? &m->word : NULL;
}

static int lock_moved(struct mutex *m)
{
	mutex_lock_moved(&m->word, MUTEX_HELD);
	return own(m, thread_self()->tid);
}

int posix_mutex_lock_again(pthread_mutex_t *handle, bool is_moved)
{
	struct mutex *m = mutex_of(handle);
	int err = unlikely(is_moved) ? lock_moved(m) : lock(handle);

	if (unlikely(err || is_foreign(m) || ((m->kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE && m->count > 1)))
		return err;
	m->users--;
	return 0;
}

struct au32 *posix_mutex_lock_of(pthread_mutex_t *m)
{
	return word_of(mutex_of(m));
}

bool posix_mutex_is_foreign(pthread_mutex_t *m)
{
	return is_foreign(mutex_of(m));
}

int posix_mutex_give_up(pthread_mutex_t *m)
{
	struct thread *me = rt_enter();
	struct au32 *word = word_of(mutex_of(m));	/* the mutex may be gone once it is free */
	int released = posix_mutex_release(me, m);

	if (released > 0)
		mutex_wake(word);
	rt_leave(me);
	return released < 0 ? -released : 0;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int err = REAL(pthread_mutex_init)(m, attr);

	if (!err && (mutex_of(m)->kind & KIND_FOREIGN) == KIND_SHARED)
		home_set(&mutex_of(m)->home);
	return err;
}

/* Only a robust mutex can be made so, and only by its owner. */
EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
	return NAMED(m, REAL(pthread_mutex_consistent)(m));
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return lock(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return unlock(m);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return trylock(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict until)
{
	return posix_mutex_clocklock(m, CLOCK_REALTIME, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
				   const struct timespec *restrict until)
{
	return posix_mutex_clocklock(m, clock, until);
}

/* libc's own takes the lock in its way, which ours does not hold off; nor does it ask for the ceiling. */
EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *restrict handle, int ceiling, int *restrict old)
{
	struct mutex *m = mutex_of(handle);
	struct thread *me = thread_self();
	int type = m->kind & KIND_TYPE, err;

	if (is_foreign(m) || !(m->kind & KIND_PP) || ceiling < sched_get_priority_min(SCHED_FIFO) ||
	    ceiling > sched_get_priority_max(SCHED_FIFO))
		return NAMED(handle, REAL(pthread_mutex_setprioceiling)(handle, ceiling, old));
	bool is_own = m->owner == me->tid;

	if (is_own && type == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	bool is_locked = is_own && type == PTHREAD_MUTEX_RECURSIVE;

	if (!is_locked && !mutex_try(word_of(m), MUTEX_HELD))
		mutex_lock_slow(word_of(m), MUTEX_HELD, &m->owner, forever);
	m->owner = 0;		/* to libc, whose lock this is not, it is free */
	err = REAL(pthread_mutex_setprioceiling)(handle, ceiling, old);
	if (is_locked) {
		unprotect(m);
		m->owner = me->tid;
		return err ? err : protect(m);
	}
	mutex_drop(word_of(m));
	return err;
}

ALIAS(__pthread_mutex_init, pthread_mutex_init);
ALIAS(__pthread_mutex_lock, pthread_mutex_lock);
ALIAS(__pthread_mutex_unlock, pthread_mutex_unlock);
ALIAS(__pthread_mutex_trylock, pthread_mutex_trylock);

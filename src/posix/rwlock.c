// SPDX-License-Identifier: BSD-2-Clause
/*
 * Readers-writer locks.  Private ones are ours, in the first bytes of pthread_rwlock_t; the fields
 * that libc's init writes (shared, kind) keep their places, so destroy stays libc's, and so do
 * process-shared locks, but for those of home.h.
 */
#include "../sync/rwlock.h"

#include <errno.h>
#include <stddef.h>

#include "alias.h"
#include "home.h"
#include "real.h"
#include "shared.h"

struct posix_rwlock {
	struct rwlock lock;
	uint32_t unused[5];
	struct au32 writer;	/* tid; written by the one who holds it for writing */
	int shared;
	uint64_t unused2;
	struct home home;
	unsigned kind;
};

#define AT(ours, theirs) \
	_Static_assert(offsetof(struct posix_rwlock, ours) == \
		       offsetof(pthread_rwlock_t, __data.theirs), "layout")
AT(writer, __cur_writer);
AT(shared, __shared);
AT(kind, __flags);
AT(home, __pad2);

static const struct deadline forever;

static inline struct posix_rwlock *rwlock_of(pthread_rwlock_t *l)
{
	return (struct posix_rwlock *)l;
}

static inline bool is_shared(const struct posix_rwlock *l)
{
	return l->shared && !home_is_private(&l->home);
}

static inline bool prefers_writers(const struct posix_rwlock *l)
{
	return l->kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* Relaxed: it equals our tid only if we wrote it. */
static inline bool is_writer(struct posix_rwlock *l, int tid)
{
	return load_relaxed(&l->writer) == (uint32_t)tid;
}

static int read_lock(struct posix_rwlock *l, struct deadline until)
{
	uint32_t seen;

	if (likely(rwlock_try_read(&l->lock, &seen)))
		return 0;
	if ((seen & RW_WRITER) && is_writer(l, thread_self()->tid))
		return EDEADLK;
	return rwlock_read_slow(&l->lock, until, prefers_writers(l));
}

static int write_lock(struct posix_rwlock *l, struct deadline until)
{
	int tid = thread_self()->tid, err;

	if (unlikely(!rwlock_try_write(&l->lock))) {
		if (is_writer(l, tid))
			return EDEADLK;
		err = rwlock_write_slow(&l->lock, until, prefers_writers(l));
		if (err)
			return err;
	}
	store_relaxed(&l->writer, (uint32_t)tid);	/* read by ourselves, see is_writer */
	return 0;
}

static bool is_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static int read_lock_shared(pthread_rwlock_t *l, struct deadline until)
{
	int err = until.at && !deadline_is_valid(until.at) ? EBUSY : REAL(pthread_rwlock_tryrdlock)(l);

	if (err != EBUSY)
		return err;
	if (!until.at)
		return SHARED_WAIT(REAL(pthread_rwlock_rdlock)(l));
	if (until.clock == CLOCK_REALTIME)
		return SHARED_WAIT(REAL(pthread_rwlock_timedrdlock)(l, until.at));
	return SHARED_WAIT(REAL(pthread_rwlock_clockrdlock)(l, until.clock, until.at));
}

static int write_lock_shared(pthread_rwlock_t *l, struct deadline until)
{
	int err = until.at && !deadline_is_valid(until.at) ? EBUSY : REAL(pthread_rwlock_trywrlock)(l);

	if (err != EBUSY)
		return err;
	if (!until.at)
		return SHARED_WAIT(REAL(pthread_rwlock_wrlock)(l));
	if (until.clock == CLOCK_REALTIME)
		return SHARED_WAIT(REAL(pthread_rwlock_timedwrlock)(l, until.at));
	return SHARED_WAIT(REAL(pthread_rwlock_clockwrlock)(l, until.clock, until.at));
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict l, const pthread_rwlockattr_t *restrict attr)
{
	int err = REAL(pthread_rwlock_init)(l, attr);

	if (!err && rwlock_of(l)->shared)
		home_set(&rwlock_of(l)->home);
	return err;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return read_lock_shared(l, forever);
	return read_lock(rwlock_of(l), forever);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return write_lock_shared(l, forever);
	return write_lock(rwlock_of(l), forever);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	uint32_t seen;

	if (unlikely(is_shared(rwlock_of(l))))
		return REAL(pthread_rwlock_tryrdlock)(l);
	if (rwlock_try_read(&rwlock_of(l)->lock, &seen))
		return 0;
	return seen & (RW_WRITER | RW_WRITER_FIRST) ? EBUSY : EAGAIN;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *handle)
{
	struct posix_rwlock *l = rwlock_of(handle);

	if (unlikely(is_shared(l)))
		return REAL(pthread_rwlock_trywrlock)(handle);
	if (!rwlock_try_write(&l->lock))
		return EBUSY;
	store_relaxed(&l->writer, (uint32_t)thread_self()->tid);	/* see is_writer */
	return 0;
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
				      const struct timespec *restrict until)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return is_clock(clock) ? read_lock_shared(l, (struct deadline){ .at = until, .clock = clock }) : EINVAL;
	if (!is_clock(clock) || !deadline_is_valid(until))
		return EINVAL;
	return read_lock(rwlock_of(l), (struct deadline){ .at = until, .clock = clock });
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
				      const struct timespec *restrict until)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return is_clock(clock) ? write_lock_shared(l, (struct deadline){ .at = until, .clock = clock }) : EINVAL;
	if (!is_clock(clock) || !deadline_is_valid(until))
		return EINVAL;
	return write_lock(rwlock_of(l), (struct deadline){ .at = until, .clock = clock });
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return read_lock_shared(l, (struct deadline){ .at = until, .clock = CLOCK_REALTIME });
	return pthread_rwlock_clockrdlock(l, CLOCK_REALTIME, until);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until)
{
	if (unlikely(is_shared(rwlock_of(l))))
		return write_lock_shared(l, (struct deadline){ .at = until, .clock = CLOCK_REALTIME });
	return pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, until);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *handle)
{
	struct posix_rwlock *l = rwlock_of(handle);

	if (unlikely(is_shared(l)))
		return REAL(pthread_rwlock_unlock)(handle);
	/* Relaxed: if it is held for writing, then by us. */
	if (load_relaxed(&l->lock.word) & RW_WRITER)
		store_relaxed(&l->writer, 0);
	rwlock_drop(&l->lock, prefers_writers(l));
	return 0;
}

ALIAS(__pthread_rwlock_init, pthread_rwlock_init);
ALIAS(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
ALIAS(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
ALIAS(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
ALIAS(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
ALIAS(__pthread_rwlock_unlock, pthread_rwlock_unlock);

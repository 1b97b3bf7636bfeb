// SPDX-License-Identifier: BSD-2-Clause
#include "../sync/rwlock.h"

#include "mutex.h"

/* The writer's tid is where pthread_rwlock_t has it, for upcall ps to read (trace/page.c). */
struct native_rwlock {
	struct rwlock lock;
	uint32_t unused[5];
	struct au32 writer;
};
ASSERT_FITS(struct native_rwlock, struct upcall_rwlock);
_Static_assert(offsetof(struct native_rwlock, writer) == offsetof(pthread_rwlock_t, __data.__cur_writer), "layout");

static inline struct rwlock *native_rwlock(struct upcall_rwlock *l)
{
	return (struct rwlock *)l;
}

static inline struct au32 *writer_of(struct upcall_rwlock *l)
{
	return &((struct native_rwlock *)l)->writer;
}

/*
 * To be told apart: what writers leave to everybody (the object), and readers to writers (its second
 * word).  Readers order nothing among themselves.
 */
static int hold_read(struct upcall_rwlock *lock)
{
	told_acquire(lock);
	return 0;
}

static int hold_write(struct upcall_rwlock *lock)
{
	store_relaxed(writer_of(lock), (uint32_t)thread_self()->tid);	/* relaxed: to be looked at only */
	told_acquire(lock);
	told_acquire(&lock->opaque[1]);
	return 0;
}

int upcall_rwlock_read_until(struct upcall_rwlock *lock, uint64_t deadline_ns)
{
	struct rwlock *l = native_rwlock(lock);
	uint32_t seen;
	int err = likely(rwlock_try_read(l, &seen)) ? 0 : -rwlock_read_slow(l, UNTIL(deadline_ns), true);

	return likely(!err) ? hold_read(lock) : err;
}

int upcall_rwlock_read(struct upcall_rwlock *lock)
{
	return upcall_rwlock_read_until(lock, UPCALL_NEVER);
}

int upcall_rwlock_tryread(struct upcall_rwlock *lock)
{
	uint32_t seen;

	return rwlock_try_read(native_rwlock(lock), &seen) ? hold_read(lock) : -EBUSY;
}

int upcall_rwlock_write_until(struct upcall_rwlock *lock, uint64_t deadline_ns)
{
	struct rwlock *l = native_rwlock(lock);
	int err = likely(rwlock_try_write(l)) ? 0 : -rwlock_write_slow(l, UNTIL(deadline_ns), true);

	return likely(!err) ? hold_write(lock) : err;
}

int upcall_rwlock_write(struct upcall_rwlock *lock)
{
	return upcall_rwlock_write_until(lock, UPCALL_NEVER);
}

int upcall_rwlock_trywrite(struct upcall_rwlock *lock)
{
	return rwlock_try_write(native_rwlock(lock)) ? hold_write(lock) : -EBUSY;
}

int upcall_rwlock_unlock(struct upcall_rwlock *lock)
{
	struct rwlock *l = native_rwlock(lock);
	uint32_t word = load_relaxed(&l->word);		/* relaxed: the caller holds it, or is mistaken */

	if (!(word & (RW_WRITER | RW_READERS)))
		return -EPERM;
	told_release(word & RW_WRITER ? &lock->opaque[0] : &lock->opaque[1]);
	if (word & RW_WRITER)
		store_relaxed(writer_of(lock), 0);
	rwlock_drop(l, true);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "../sync/rwlock.h"

#include "mutex.h"

ASSERT_FITS(struct rwlock, struct upcall_rwlock);

static inline struct rwlock *native_rwlock(struct upcall_rwlock *l)
{
	return (struct rwlock *)l;
}

int upcall_rwlock_read_until(struct upcall_rwlock *lock, uint64_t deadline_ns)
{
	struct rwlock *l = native_rwlock(lock);
	uint32_t seen;

	return likely(rwlock_try_read(l, &seen)) ? 0 : -rwlock_read_slow(l, UNTIL(deadline_ns), true);
}

int upcall_rwlock_read(struct upcall_rwlock *lock)
{
	return upcall_rwlock_read_until(lock, UPCALL_NEVER);
}

int upcall_rwlock_tryread(struct upcall_rwlock *lock)
{
	uint32_t seen;

	return rwlock_try_read(native_rwlock(lock), &seen) ? 0 : -EBUSY;
}

int upcall_rwlock_write_until(struct upcall_rwlock *lock, uint64_t deadline_ns)
{
	struct rwlock *l = native_rwlock(lock);

	return likely(rwlock_try_write(l)) ? 0 : -rwlock_write_slow(l, UNTIL(deadline_ns), true);
}

int upcall_rwlock_write(struct upcall_rwlock *lock)
{
	return upcall_rwlock_write_until(lock, UPCALL_NEVER);
}

int upcall_rwlock_trywrite(struct upcall_rwlock *lock)
{
	return rwlock_try_write(native_rwlock(lock)) ? 0 : -EBUSY;
}

int upcall_rwlock_unlock(struct upcall_rwlock *lock)
{
	struct rwlock *l = native_rwlock(lock);

	if (!(load_relaxed(&l->word) & (RW_WRITER | RW_READERS)))	/* relaxed: a check for a mistake */
		return -EPERM;
	rwlock_drop(l, true);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The runtime's own lock: a futex word, spun on shortly, then slept on.
 *
 * Held only inside the runtime (rt_enter .. rt_leave), so its holder is neither preempted by us nor
 * replaced; the kernel may still preempt it, and then a waiter sleeps instead of spinning.
 * 0 free, 1 held, 2 held and somebody may sleep.  All-zero is a free lock.
 */
#ifndef UPCALL_BASE_LOCK_H
#define UPCALL_BASE_LOCK_H

#include "atomic.h"

struct lock { struct au32 word; };

__attribute__((visibility("hidden"))) void lock_slow(struct lock *l);
__attribute__((visibility("hidden"))) void unlock_slow(struct lock *l);

static inline bool lock_try(struct lock *l)
{
	uint32_t free = 0;

	return cas_acquire(&l->word, &free, 1);
}

static inline void lock_take(struct lock *l)
{
	if (unlikely(!lock_try(l)))
		lock_slow(l);
}

static inline void lock_drop(struct lock *l)
{
	if (unlikely(xchg_acq_rel(&l->word, 0) == 2))
		unlock_slow(l);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The runtime's own lock: spun on shortly, then yielded and slept for.
 *
 * Held only inside the runtime (rt_enter .. rt_leave), so its holder is neither preempted by us nor
 * replaced, and holds it for nanoseconds; the kernel may still preempt it, and then a waiter gives
 * the CPU up.  Since nobody is ever asleep on it, releasing it is one plain store.  All-zero is a
 * free lock.
 * Order:
 *   lock  holder: release word -> next holder: acquire word
 */
#ifndef UPCALL_BASE_LOCK_H
#define UPCALL_BASE_LOCK_H

#include "atomic.h"

struct lock { struct au32 word; };

__attribute__((visibility("hidden"))) COLD void lock_slow(struct lock *l);

static inline bool lock_try(struct lock *l)
{
	uint32_t free = 0;

	return cas_acquire(&l->word, &free, 1);		/* pairs: lock */
}

static inline void lock_take(struct lock *l)
{
	if (unlikely(!lock_try(l)))
		lock_slow(l);
}

static inline void lock_drop(struct lock *l)
{
	store_release(&l->word, 0);			/* pairs: lock */
}

/* In a child: whoever held it is not there.  The page of one that is free stays the parent's, too. */
static inline void lock_fork_child(struct lock *l)
{
	if (unlikely(load_relaxed(&l->word)))
		store_relaxed(&l->word, 0);
}

#endif

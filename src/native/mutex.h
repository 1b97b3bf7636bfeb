// SPDX-License-Identifier: BSD-2-Clause
/*
 * struct upcall_mutex: the one-word lock of sync/mutex.h, and who holds it: for tools to read, and
 * where the kind asks.
 */
#ifndef UPCALL_NATIVE_MUTEX_H
#define UPCALL_NATIVE_MUTEX_H

#include "../sync/mutex.h"
#include "bound.h"

struct native_mutex {
	struct au32 word;
	uint32_t kind;			/* enum upcall_mutex_kind; fixed at init */
	struct au32 holder;		/* the owner's tid, for upcall ps: where pthread_mutex_t has it (trace/page.c) */
	uint32_t depth;			/* times beyond the first; the owner's */
	struct owner owner;		/* of normal ones only where priorities count; equals the caller only if it is */
};
ASSERT_FITS(struct native_mutex, struct upcall_mutex);

static inline struct native_mutex *native_mutex(struct upcall_mutex *m)
{
	return (struct native_mutex *)m;
}

static inline void native_mutex_hold(struct native_mutex *m)
{
	store_relaxed(&m->holder, (uint32_t)thread_self()->tid);	/* relaxed: to be looked at only */
	told_acquire(m);
}

static inline void native_mutex_release(struct native_mutex *m)
{
	told_release(m);
	store_relaxed(&m->holder, 0);
}

/* A wait on a condition that is part of `object`, whose name is `kind`'s. */
int native_cond_wait(struct upcall_cond *cond, struct upcall_mutex *mutex, uint64_t deadline_ns,
		     enum wait_kind kind, const void *object) __attribute__((visibility("hidden")));

/* Does it keep who owns it?  Of its kind, or for those who wait to lend that one their priority. */
static inline bool native_mutex_is_owned(const struct native_mutex *m)
{
	return m->kind | sched_has_priorities;
}
_Static_assert(UPCALL_MUTEX_NORMAL == 0, "kind");

/* Is a word all there is to it, and who holds it? */
static inline bool native_mutex_is_plain(const struct native_mutex *m)
{
	return !(m->kind | sched_locks);
}

#pragma GCC visibility push(hidden)
/* Of such a mutex: the caller has just taken its word; it takes it, waiting. */
void native_mutex_own(struct native_mutex *m);
int native_mutex_wait(struct native_mutex *m, uint64_t deadline_ns);
#pragma GCC visibility pop

/* A deadline as sync wants it, on the caller's stack. */
#define UNTIL(deadline_ns) \
	((deadline_ns) == UPCALL_NEVER ? (struct deadline){ 0 } : \
	 (struct deadline){ .at = &(struct timespec){ (time_t)((deadline_ns) / NS_PER_S), \
						      (long)((deadline_ns) % NS_PER_S) }, \
			    .clock = CLOCK_MONOTONIC, .is_kernels = true })

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * struct upcall_mutex: the one-word lock of sync/mutex.h, which names who holds it for tools to read, and an owner
 * where the kind asks.  The common case of taking and dropping one is in <upcall/upcall.h>, too, which knows the
 * first two fields.
 */
#ifndef UPCALL_NATIVE_MUTEX_H
#define UPCALL_NATIVE_MUTEX_H

#include "../sync/mutex.h"
#include "bound.h"

struct native_mutex {
	struct au32 word;
	uint32_t kind;			/* enum upcall_mutex_kind; fixed at init */
	uint32_t depth;			/* times beyond the first; the owner's */
	struct owner owner;		/* of normal ones only where priorities count; equals the caller only if it is */
};
ASSERT_FITS(struct native_mutex, struct upcall_mutex);
_Static_assert(offsetof(struct native_mutex, word) == 0 && offsetof(struct native_mutex, kind) == sizeof(uint32_t), "known");
_Static_assert(offsetof(struct thread, pending) == UPCALL_AT_PENDING_ && PEND_PREEMPT == 1, "known");
_Static_assert(offsetof(struct thread, locks_plainly) == UPCALL_AT_LOCKS_PLAINLY_, "known");
_Static_assert(MUTEX_FREE == 0 && MUTEX_HELD == 1 && (int)MUTEX_WAITED == (int)UPCALL_MUTEX_WAITED_, "known");

static inline struct native_mutex *native_mutex(struct upcall_mutex *m)
{
	return (struct native_mutex *)m;
}

static inline uint32_t native_mutex_held(const struct thread *me)
{
	return thread_mark(me) | MUTEX_HELD;
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

/* Is a word all there is to it, for me, the caller? */
static inline bool native_mutex_is_plain(const struct native_mutex *m, const struct thread *me)
{
	return !m->kind && me->locks_plainly;
}

/* The slice of a thread without a TLS block, which nothing else takes the processor from, is over. */
static inline bool native_is_to_yield(const struct thread *me)
{
	return load_relaxed(&me->pending) & PEND_PREEMPT;
}

/* The common case, for me, the caller. */
static inline bool native_mutex_take(struct native_mutex *m, const struct thread *me)
{
	return native_mutex_is_plain(m, me) && !native_is_to_yield(me) && mutex_try(&m->word, native_mutex_held(me));
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

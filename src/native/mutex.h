// SPDX-License-Identifier: BSD-2-Clause
/*
 * struct upcall_mutex: the one-word lock of sync/mutex.h, and who holds it where the kind asks.
 */
#ifndef UPCALL_NATIVE_MUTEX_H
#define UPCALL_NATIVE_MUTEX_H

#include "../sync/mutex.h"
#include "native.h"

struct native_mutex {
	struct au32 word;
	uint32_t kind;			/* enum upcall_mutex_kind; fixed at init */
	APTR(struct thread) owner;	/* not of normal ones; equals the caller only if it is the owner */
	uint32_t depth;			/* times beyond the first; the owner's */
};
ASSERT_FITS(struct native_mutex, struct upcall_mutex);

static inline struct native_mutex *native_mutex(struct upcall_mutex *m)
{
	return (struct native_mutex *)m;
}

/* A deadline as sync wants it, on the caller's stack. */
#define UNTIL(deadline_ns) \
	((deadline_ns) == UPCALL_NEVER ? (struct deadline){ 0 } : \
	 (struct deadline){ &(struct timespec){ (time_t)((deadline_ns) / NS_PER_S), \
						(long)((deadline_ns) % NS_PER_S) }, CLOCK_MONOTONIC })

#endif

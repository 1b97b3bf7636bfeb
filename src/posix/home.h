// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where a process-shared object lies.  In memory that no other process can see (the heap, a stack, what
 * a fork copies) it is as good as private, and is waited for as a private one is.
 *
 * The kernel is asked once, when the object is made.  The answer is kept in bytes of the object that
 * libc does not use, and names its own place: in a copy of the object, which a program may have made
 * first and put into shared memory then, it says nothing.
 */
#ifndef UPCALL_POSIX_HOME_H
#define UPCALL_POSIX_HOME_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/atomic.h"

/* 0: shared, or not known to be private.  Written before others know of the object. */
struct home { struct au64 word; };

enum { HOME_SHIFT = 48 };
#define HOME_PRIVATE (UINT64_C(0xb5ad) << HOME_SHIFT)	/* above all addresses */

static inline bool home_is_private(const struct home *h)
{
	return load_relaxed(&h->word) == (HOME_PRIVATE | (uintptr_t)h);	/* written once */
}

#pragma GCC visibility push(hidden)
/* At the end of the making of an object.  Outside the runtime. */
void home_set(struct home *h);
#pragma GCC visibility pop

#endif

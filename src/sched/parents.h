// SPDX-License-Identifier: BSD-2-Clause
/*
 * Part of the ready queue: threads that made one which runs first (first.c).  The owner of the vproc
 * takes the newest, thieves take the oldest, so that a tree of threads is walked depth first on each
 * vproc and stolen from near its root.
 *
 *   top <= bottom but for a moment in parents_pop; top only grows, bottom is the owner's; mod 2^32
 * Order:
 *   parents.publish  owner: fill slot, release bottom -> thief: acquire bottom, read slot
 *   parents.last     owner: lower bottom, fence, read top; thief: read top, fence, read bottom: of a last
 *                    one both may see that it is there; who moves top by a CAS has it
 */
#ifndef UPCALL_PARENTS_H
#define UPCALL_PARENTS_H

#include "../thread/thread.h"

enum { PARENTS_SIZE = 256 };

struct parents {
	struct au32 top, bottom;
	APTR(struct thread) slot[PARENTS_SIZE];
};

/* Owner.  False: full. */
static inline __attribute__((always_inline)) bool parents_push(struct parents *p, struct thread *t)
{
	uint32_t bottom = load_relaxed(&p->bottom);		/* relaxed: only we write it */

	if (bottom - load_acquire(&p->top) >= PARENTS_SIZE)
		return false;
	store_relaxed(&p->slot[bottom % PARENTS_SIZE], t);
	store_release(&p->bottom, bottom + 1);			/* pairs: parents.publish */
	return true;
}

/* Owner. */
static inline __attribute__((always_inline)) struct thread *parents_pop(struct parents *p, bool has_thieves)
{
	uint32_t bottom = load_relaxed(&p->bottom), top = load_relaxed(&p->top);	/* relaxed: it only grows */

	if (bottom == top)
		return NULL;
	store_relaxed(&p->bottom, --bottom);
	struct thread *t = load_relaxed(&p->slot[bottom % PARENTS_SIZE]);

	if (!has_thieves)
		return t;
	fence_seq_cst();					/* pairs: parents.last */
	top = load_relaxed(&p->top);
	if (likely((int32_t)(bottom - top) > 0))
		return t;
	if (top != bottom || !cas_seq_cst(&p->top, &top, top + 1))
		t = NULL;					/* a thief was faster */
	store_relaxed(&p->bottom, bottom + 1);
	return t;
}

static inline struct thread *parents_steal(struct parents *p)
{
	uint32_t top = load_acquire(&p->top);

	for (;;) {
		fence_seq_cst();				/* pairs: parents.last */
		if ((int32_t)(load_acquire(&p->bottom) - top) <= 0)	/* pairs: parents.publish */
			return NULL;
		struct thread *t = load_relaxed(&p->slot[top % PARENTS_SIZE]);

		if (cas_seq_cst(&p->top, &top, top + 1))
			return t;
	}
}

static inline uint32_t parents_length(const struct parents *p)
{
	int32_t n = (int32_t)(load_acquire(&p->bottom) - load_acquire(&p->top));

	return n > 0 ? (uint32_t)n : 0;
}

#endif

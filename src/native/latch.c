// SPDX-License-Identifier: BSD-2-Clause
/*
 * A latch is one word, the count.  Whoever brings it to 0 touches it no more, so whoever the latch
 * let go may free it.
 */
#include <limits.h>

#include "bound.h"

ASSERT_FITS(struct au32, struct upcall_latch);

static inline struct au32 *word_of(struct upcall_latch *l)
{
	return (struct au32 *)l;
}

int upcall_latch_init(struct upcall_latch *latch, unsigned count)
{
	if (count > INT_MAX)
		return -EINVAL;
	*latch = (struct upcall_latch){ 0 };
	store_relaxed(word_of(latch), count);		/* relaxed: nobody else knows it yet */
	return 0;
}

int upcall_latch_count_down(struct upcall_latch *latch, unsigned by)
{
	uint32_t seen = load_relaxed(word_of(latch));	/* a guess: the CAS checks it */
	struct thread *me;

	told_release(latch);
	do {
		if (by > seen)
			return -EINVAL;
	} while (!cas_seq_cst(word_of(latch), &seen, seen - by));
	if (!by || seen != by)
		return 0;
	me = rt_enter();
	lot_wake(word_of(latch), INT32_MAX);
	rt_leave(me);
	return 0;
}

/* A count that changes under a sleeper does not matter to it: it is woken at 0. */
int upcall_latch_wait_until(struct upcall_latch *latch, uint64_t deadline_ns)
{
	uint32_t count;

	while ((count = load_acquire(word_of(latch)))) {
		struct thread *me = rt_enter();
		enum wait_result why = lot_wait_word(me, word_of(latch), count, deadline_ns, WAIT_LATCH,
						     LOT_INTERRUPTIBLE);

		rt_leave(me);
		if (error_of(why))
			return error_of(why);
	}
	told_acquire(latch);
	return 0;
}

int upcall_latch_wait(struct upcall_latch *latch)
{
	return upcall_latch_wait_until(latch, UPCALL_NEVER);
}

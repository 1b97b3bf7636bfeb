// SPDX-License-Identifier: BSD-2-Clause
#include "once.h"

static void wait_for(struct au32 *word, uint32_t seen)
{
	uint32_t waited = seen | ONCE_WAITED;
	struct thread *me;

	if (seen != waited && !cas_seq_cst(word, &seen, waited))
		return;
	me = rt_enter();
	lot_wait_word(me, word, waited, NEVER, WAIT_ONCE, LOT_SIGNALS);
	rt_leave(me);
}

bool once_begin(struct au32 *word)
{
	uint32_t mine = ONCE_RUNNING | lot_fork_count * ONCE_FORK;

	for (;;) {
		uint32_t seen = load_acquire(word);	/* pairs: once.done */

		if (seen & ONCE_DONE)
			return false;
		if ((seen | ONCE_WAITED) == (mine | ONCE_WAITED))
			wait_for(word, seen);
		else if (cas_seq_cst(word, &seen, mine))
			return true;
	}
}

void once_end(struct au32 *word, bool is_done)
{
	struct thread *me;

	if (!(xchg_seq_cst(word, is_done ? ONCE_DONE : 0) & ONCE_WAITED))	/* pairs: once.done */
		return;
	me = rt_enter();
	lot_wake(word, INT32_MAX);
	rt_leave(me);
}

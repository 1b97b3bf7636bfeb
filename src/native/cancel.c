// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cancellation is a flag that stays, and one wait that ends: the one the thread is in, or else its
 * next.  Nothing is unwound; what to do about it is the thread's own business.
 */
#include "native.h"

int upcall_cancel(upcall_t thread)
{
	struct thread *t = thread_of_handle(thread), *me;

	if (xchg_seq_cst(&t->is_cancelled, 1))
		return 0;
	me = rt_enter();
	fetch_or(&t->pending, PEND_CANCEL);		/* pairs: lot.interrupt */
	lot_interrupt(t, WAIT_CANCEL);
	rt_leave(me);
	return 0;
}

bool upcall_is_cancelled(void)
{
	return load_acquire(&thread_self()->is_cancelled);
}

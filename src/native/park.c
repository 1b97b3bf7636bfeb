// SPDX-License-Identifier: BSD-2-Clause
/*
 * Park, unpark and yield-to with a token: a thread that was given its token before it parks does not wait.
 * One token at most is kept.
 */
#include "bound.h"

int upcall_park_until(uint64_t deadline_ns)
{
	struct thread *me = thread_self();
	int err = 0;

	while (!load_relaxed(&me->token) || !xchg_seq_cst(&me->token, 0)) {
		if (err)
			return err;
		rt_enter();
		err = error_of(lot_wait_word(me, &me->token, 0, deadline_ns, WAIT_PARK, LOT_INTERRUPTIBLE));
		rt_leave(me);
	}
	native_keep_cancel(err);
	told_acquire(&me->token);
	return 0;
}

int upcall_park(void)
{
	return upcall_park_until(UPCALL_NEVER);
}

/* False: it has one, and so does not wait, or has been woken. */
static bool give_token(struct thread *t)
{
	told_release(&t->token);
	return !xchg_seq_cst(&t->token, 1);
}

void upcall_unpark(upcall_t thread)
{
	struct thread *t = thread_of_handle(thread), *me;

	if (!give_token(t))
		return;
	me = rt_enter();
	lot_wake(&t->token, 1);
	rt_leave(me);
}

/* Without leaving the runtime in between, where whom this wakes might have its turn before the caller yields. */
ARCH_SWITCHES void upcall_yield_to(upcall_t thread)
{
	struct thread *t = thread_of_handle(thread);
	bool may_wait = give_token(t);
	struct thread *me = rt_enter();

	if (may_wait)
		lot_wake(&t->token, 1);
	sched_yield_to(me, t);
	rt_leave(me);
}

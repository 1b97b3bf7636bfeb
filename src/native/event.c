// SPDX-License-Identifier: BSD-2-Clause
/*
 * An event is one word, 1 when set.  A setter touches it no more after that store, so whoever the
 * event let go may free it.
 */
#include "bound.h"

ASSERT_FITS(struct au32, struct upcall_event);

static inline struct au32 *word_of(struct upcall_event *e)
{
	return (struct au32 *)e;
}

void upcall_event_set(struct upcall_event *event)
{
	struct thread *me;

	told_release(event);
	if (xchg_seq_cst(word_of(event), 1))
		return;
	me = rt_enter();
	lot_wake(word_of(event), INT32_MAX);
	rt_leave(me);
}

void upcall_event_reset(struct upcall_event *event)
{
	store_seq_cst(word_of(event), 0);
}

bool upcall_event_is_set(const struct upcall_event *event)
{
	if (!load_acquire((const struct au32 *)event))
		return false;
	told_acquire(event);
	return true;
}

/* Once woken it was set, though it may be reset by now. */
int upcall_event_wait_until(struct upcall_event *event, uint64_t deadline_ns)
{
	while (!load_acquire(word_of(event))) {
		struct thread *me = rt_enter();
		enum wait_result why = lot_wait_word(me, word_of(event), 0, deadline_ns, WAIT_EVENT,
						     LOT_INTERRUPTIBLE);

		rt_leave(me);
		if (why == WAIT_WOKEN)
			break;
		if (error_of(why))
			return error_of(why);
	}
	told_acquire(event);
	return 0;
}

int upcall_event_wait(struct upcall_event *event)
{
	return upcall_event_wait_until(event, UPCALL_NEVER);
}

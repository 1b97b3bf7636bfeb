// SPDX-License-Identifier: BSD-2-Clause
/*
 * An event is one word: its lowest bit says whether it is set, the others count how often it was reset.  A setter
 * touches it no more after it has set that bit, so whoever the event let go may free it.  Who is woken looks again:
 * the wake may be that of an earlier setting, or of what was at this address before.
 */
#include "bound.h"

enum { IS_SET = 1 };

ASSERT_FITS(struct au32, struct upcall_event);

static inline struct au32 *word_of(struct upcall_event *e)
{
	return (struct au32 *)e;
}

void upcall_event_set(struct upcall_event *event)
{
	struct thread *me;

	told_release(event);
	if (fetch_or(word_of(event), IS_SET) & IS_SET)
		return;
	me = rt_enter();
	lot_wake(word_of(event), INT32_MAX);
	rt_leave(me);
}

void upcall_event_reset(struct upcall_event *event)
{
	uint32_t word = load_relaxed(word_of(event));

	while ((word & IS_SET) && !cas_release(word_of(event), &word, word + 1))
		;
}

bool upcall_event_is_set(const struct upcall_event *event)
{
	if (!(load_acquire((const struct au32 *)event) & IS_SET))
		return false;
	told_acquire(event);
	return true;
}

/* It was set meanwhile, though it may be reset by now. */
int upcall_event_wait_until(struct upcall_event *event, uint64_t deadline_ns)
{
	uint32_t first = load_acquire(word_of(event)), word = first;
	int err = 0;

	while (word == first && !(word & IS_SET)) {
		if (err)
			return err;
		struct thread *me = rt_enter();

		err = error_of(lot_wait_word(me, word_of(event), word, deadline_ns, WAIT_EVENT, LOT_INTERRUPTIBLE));
		rt_leave(me);
		word = load_acquire(word_of(event));
	}
	native_keep_cancel(err);
	told_acquire(event);
	return 0;
}

int upcall_event_wait(struct upcall_event *event)
{
	return upcall_event_wait_until(event, UPCALL_NEVER);
}

// SPDX-License-Identifier: BSD-2-Clause
/* Waits for an event of a vproc's (upcall/events.h): what is delivered there raises a word, and that is waited for. */
#include <upcall/reports.h>

#include "../upcall/events.h"
#include "bound.h"

static void on_reported(struct au32 *delivered)
{
	lot_wake(delivered, INT32_MAX);
}

static int wait_for_more(const struct au32 *delivered, uint32_t seen, uint64_t deadline_ns)
{
	int err = 0;

	while (load_seq_cst(delivered) == seen) {		/* pairs: events.wait */
		if (err)
			return err;
		struct thread *me = rt_enter();

		err = error_of(lot_wait_word(me, delivered, seen, deadline_ns, WAIT_EVENT, LOT_INTERRUPTIBLE));
		rt_leave(me);
	}
	native_keep_cancel(err);
	return 0;
}

__attribute__((visibility("default")))
int upcall_reports_wait(uint32_t vproc, uint32_t mask, uint64_t deadline_ns)
{
	struct au32 *delivered;
	int err = native_start();

	if (err)
		return err;
	sched_hooks.reported = on_reported;
	delivered = events_wait_begin(vproc);
	if (!delivered)
		return -EINVAL;
	uint32_t seen = load_seq_cst(delivered), before = (uint32_t)upcall_reports_mask(vproc, mask);

	err = wait_for_more(delivered, seen, deadline_ns);
	upcall_reports_mask(vproc, before);
	events_wait_end(vproc);
	return err;
}

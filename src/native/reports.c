// SPDX-License-Identifier: BSD-2-Clause
/* Waits for an event of a vproc's (upcall/events.h): what is delivered there raises a word, and that is waited for. */
#include <upcall/reports.h>

#include "../upcall/events.h"
#include "bound.h"

static void on_reported(struct au32 *delivered)
{
	lot_wake(delivered, INT32_MAX);
}

static int wait_until_told(const struct events_waiter *w, const struct au32 *delivered, uint64_t deadline_ns)
{
	int err = 0;

	for (;;) {
		uint32_t seen = load_seq_cst(delivered);		/* pairs: events.wait */

		if (load_seq_cst(&w->is_told))
			break;
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
	struct events_waiter w = { .mask = mask };
	struct au32 *delivered;
	int err = native_start();

	if (err)
		return err;
	sched_hooks.reported = on_reported;
	delivered = events_wait_begin(vproc, &w);
	if (!delivered)
		return -EINVAL;
	err = wait_until_told(&w, delivered, deadline_ns);
	events_wait_end(vproc, &w);
	return err;
}

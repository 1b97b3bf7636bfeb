// SPDX-License-Identifier: BSD-2-Clause
#include "barrier.h"

static const void *key_of(struct barrier *bar)
{
	return lot_key(bar, LOT_BARRIER);
}

static void count_away(struct barrier *bar, uint32_t delta)
{
	store_relaxed(&bar->away, load_relaxed(&bar->away) + delta);	/* guarded */
}

/* The last one: takes everybody out.  The lock is held and stays so. */
static void end_round(struct barrier *bar, struct bucket *b, struct list *woken)
{
	uint32_t others = bar->arrived - 1;

	bar->arrived = 0;
	bar->round++;
	count_away(bar, others - (uint32_t)lot_take_some(b, key_of(bar), 0, INT32_MAX, woken));
}

static void arrive_last(struct thread *me, struct barrier *bar, struct bucket *b)
{
	struct list woken;

	list_init(&woken);
	end_round(bar, b, &woken);
	lot_abort(me, b);
	lot_unpark_all(&woken);
}

static void wait_on(struct thread *me, struct barrier *bar, struct bucket *b, uint32_t round)
{
	for (;;) {
		lot_queue(me, b);
		if (lot_sleep(me, NEVER) == WAIT_WOKEN)
			return;
		rt_leave(me);		/* runs the signal's handler */
		me = rt_enter();
		b = lot_begin(me, key_of(bar), WAIT_BARRIER, LOT_SIGNALS);
		if (bar->round != round) {
			count_away(bar, (uint32_t)-1);
			lot_abort(me, b);
			return;
		}
	}
}

bool barrier_wait(struct barrier *bar)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(bar), WAIT_BARRIER, LOT_SIGNALS);
	bool is_last = ++bar->arrived == bar->count;

	if (is_last)
		arrive_last(me, bar, b);
	else
		wait_on(me, bar, b, bar->round);
	rt_leave(me);
	return is_last;
}

void barrier_destroy(struct barrier *bar)
{
	while (load_acquire(&bar->away)) {
		struct thread *me = rt_enter();

		sched_yield_now(me);
		rt_leave(me);
	}
}

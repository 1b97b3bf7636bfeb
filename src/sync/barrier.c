// SPDX-License-Identifier: BSD-2-Clause
#include "barrier.h"

#include <errno.h>

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

/* After a wait that no end of a round ended: 0 if the round has ended all the same. */
static int look_again(struct thread *me, struct barrier *bar, struct bucket *b, uint32_t round,
		      enum wait_result why)
{
	if (bar->round != round) {
		count_away(bar, (uint32_t)-1);
		lot_abort(me, b);
		return 0;
	}
	if (why != WAIT_TIMEOUT)
		return -EINTR;
	bar->arrived--;
	lot_abort(me, b);
	return -ETIMEDOUT;
}

static int wait_on(struct thread *me, struct barrier *bar, struct bucket *b, uint32_t round,
		   uint64_t deadline_ns)
{
	int err = -EINTR;

	while (err == -EINTR) {
		lot_queue(me, b);
		enum wait_result why = lot_sleep(me, deadline_ns);

		if (why == WAIT_WOKEN)
			return 0;
		rt_leave(me);		/* runs the signal's handler */
		me = rt_enter();
		b = lot_begin(me, key_of(bar), WAIT_BARRIER, LOT_SIGNALS);
		err = look_again(me, bar, b, round, why);
	}
	return err;
}

int barrier_wait_until(struct barrier *bar, uint64_t deadline_ns)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(bar), WAIT_BARRIER, LOT_SIGNALS);
	int ret = 1;

	if (++bar->arrived == bar->count)
		arrive_last(me, bar, b);
	else
		ret = wait_on(me, bar, b, bar->round, deadline_ns);
	rt_leave(me);
	return ret;
}

bool barrier_wait(struct barrier *bar)
{
	return barrier_wait_until(bar, NEVER) == 1;
}

void barrier_destroy(struct barrier *bar)
{
	while (load_acquire(&bar->away))
		sched_yield_now();
}

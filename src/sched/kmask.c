// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's signal masks of activations.
 *
 * An activation takes the mask of each thread that it runs, and before it sleeps sched_idle_kmask.  One that sleeps is
 * told when that admits more, but not when it blocks more: a program that blocks and unblocks a signal would
 * wake it each time.  So its mask may be stale: it admits what no thread does, and may take such a signal
 * from the kernel.  Then nothing in the process tells of the signal until the handler has queued it.
 *
 * The handler ends before the activation takes its next mask.  So who wants to know what is pending tells those with a
 * stale mask, and waits until the kernel has their new ones: what they have taken is queued then.
 *
 * One that is kept from running (by a debugger) would keep all who ask: it is waited for once, for PATIENCE,
 * by turns (turn_ns).
 *
 * Masks of handlers are not in sched_idle_kmask: a thread amid one may admit what, as it says, nobody does.
 * Nobody waits for that; but the activation may keep that mask, so `stale` says that, too.
 * Order:
 *   kmask.stale  activation: write kmask, read sched_idle_kmask, say in `stale` what it lacks of that;
 *                who changes sched_idle_kmask: write it, then `stale`;
 *                who settles: take off `stale`, read each kmask, put on again what was found; SETTLING meanwhile
 */
#include "../base/clock.h"
#include "../sys/sys.h"
#include "vproc.h"

enum { PATIENCE_NS = 1000000000, NAP_NS = 20000 };
static const uint64_t SETTLING = ~SCHED_BLOCK_ALL;	/* libc's signal, which is never in a mask */

struct au64 sched_idle_kmask;
static struct au64 stale;	/* a superset of the signals in sched_idle_kmask that some activation admits */

void activation_note_mask(struct activation *a, uint64_t mask)
{
	store_seq_cst(&a->kmask, mask);				/* pairs: kmask.stale */
	uint64_t lacks = load_seq_cst(&sched_idle_kmask) & ~mask;

	if (unlikely(lacks & ~load_seq_cst(&stale)))
		fetch_or(&stale, lacks);
}

void activation_set_mask(struct activation *a, uint64_t mask)
{
	store_relaxed(&a->kmask, load_relaxed(&a->kmask) & mask);	/* either may be the kernel's meanwhile */
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	activation_note_mask(a, mask);
	if (unlikely(load_relaxed(&a->is_mask_late)))
		store_relaxed(&a->is_mask_late, 0);
}

/* Cleared first and looked at then: whoever changes it tells us again after that. */
void idle_take_mask(struct activation *a)
{
	if (load_relaxed(&a->is_told_mask))
		store_seq_cst(&a->is_told_mask, 0);
	uint64_t mask = load_relaxed(&sched_idle_kmask), now;

	if (load_relaxed(&a->kmask) == mask)
		return;
	for (;; mask = now) {		/* who settles sees that we are about to take it, or we what it is now */
		store_seq_cst(&a->kmask, load_relaxed(&a->kmask) & mask);	/* pairs: kmask.stale */
		now = load_seq_cst(&sched_idle_kmask);
		if (likely(now == mask))
			break;
	}
	activation_set_mask(a, mask);
}

void sched_note_idle_mask(uint64_t more)
{
	fetch_or(&stale, more);
}

/* Each but those that carry a bound thread for good, which has its own mask. */
static struct activation *next_of(struct list **at)
{
	while ((*at = (*at)->next) != &sched.activations) {
		struct activation *a = container_of(*at, struct activation, all_link);

		if (load_relaxed(&a->alive) && !a->guest)
			return a;
	}
	return NULL;
}

static void tell_once(struct activation *a, void (*tell)(int tid))
{
	if (xchg_seq_cst(&a->is_told_mask, 1) || !strange_begin())
		return;
	if (likely(!load_seq_cst(&a->refuses_kicks)))	/* pairs: kicks */
		tell(a->tid);
	strange_end();
}

void sched_tell_idle_mask(void (*tell)(int tid))
{
	struct list *at = &sched.activations;
	struct activation *a;

	lock_take(&sched.all_lock);
	while ((a = next_of(&at)))
		tell_once(a, tell);
	lock_drop(&sched.all_lock);
}

/* Would it take another mask by itself?  If it idles, or has not taken that of its thread yet. */
static bool is_between(const struct activation *a, uint64_t admits)
{
	const struct thread *t = load_acquire(&a->thread);

	return t == &a->idle || (t && (t->kmask & admits));	/* none: it is being made */
}

/* Under all_lock: tells those whose mask is stale in `signals`; true if there is one to be waited for. */
static bool tell_stale(uint64_t signals, void (*tell)(int tid), bool is_over)
{
	struct list *at = &sched.activations;
	struct activation *a;
	uint64_t left = 0;
	bool any = false;

	fetch_or(&stale, SETTLING);
	fetch_and(&stale, ~signals);
	while ((a = next_of(&at))) {
		uint64_t admits = signals & ~load_seq_cst(&a->kmask);	/* pairs: kmask.stale */

		left |= admits;
		if (!admits || !is_between(a, admits) || load_relaxed(&a->is_mask_late))
			continue;
		if (is_over)
			store_relaxed(&a->is_mask_late, 1);
		else
			tell_once(a, tell);
		any = true;
	}
	fetch_or(&stale, left);
	fetch_and(&stale, ~SETTLING);
	return any && !is_over;
}

static COLD bool settle(uint64_t signals, void (*tell)(int tid), bool is_over)
{
	struct thread *me = rt_enter();

	lock_take(&sched.all_lock);
	bool waits = tell_stale(signals, tell, is_over);

	lock_drop(&sched.all_lock);
	rt_leave(me);
	return waits;
}

void sched_settle_masks(uint64_t signals, void (*tell)(int tid))
{
	struct thread *me = self_ptr;
	uint64_t set, before = 0, waited_ns = 0;

	for (;;) {
		set = signals & load_seq_cst(&sched_idle_kmask);
		if (likely(!set || !(load_seq_cst(&stale) & (set | SETTLING))))
			return;
		waited_ns += turn_ns(&before);		/* the first: a millisecond */
		if (!settle(set, tell, waited_ns > PATIENCE_NS))
			return;
		sched_begin_block(me);
		sys_nap(NAP_NS);
		sched_end_block(me);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Policy "priority": one queue for all vprocs and priority.  The highest goes first, and takes the
 * vproc of a lower one that runs; those of one priority take turns.  A thread that was interrupted
 * amid its slice, or blocked in the kernel amid a section that is not to be preempted, goes to the head
 * of its queue.
 */
#include "policy.h"

enum { LEVELS = UPCALL_PRIORITY_MAX - UPCALL_PRIORITY_MIN + 1 };
_Static_assert(LEVELS == 64, "a level is a bit");

static struct {
	struct lock lock;
	struct au64 used;		/* levels that are not empty; written under the lock, as the count */
	struct au32 count;
	struct { upcall_t first, last; } level[LEVELS];
} queues;

static unsigned level_of(upcall_t t)
{
	return (unsigned)(policy_priority_of(policy_thread(t)) - UPCALL_PRIORITY_MIN);
}

/* slot->more: 0 if t is not queued, else one more than its level. */
static void push(upcall_t t, bool at_head)
{
	struct upcall_policy_slot *slot = policy_slot(t);
	unsigned n = level_of(t);
	upcall_t *first = &queues.level[n].first, *last = &queues.level[n].last;

	slot->more = n + 1;
	slot->next = at_head ? *first : NULL;
	slot->previous = at_head ? NULL : *last;
	*(slot->next ? &policy_slot(slot->next)->previous : last) = t;
	*(slot->previous ? &policy_slot(slot->previous)->next : first) = t;
	store_relaxed(&queues.used, load_relaxed(&queues.used) | UINT64_C(1) << n);
	store_relaxed(&queues.count, load_relaxed(&queues.count) + 1);
}

static void take_out(upcall_t t)
{
	struct upcall_policy_slot *slot = policy_slot(t);
	unsigned n = (unsigned)slot->more - 1;

	*(slot->next ? &policy_slot(slot->next)->previous : &queues.level[n].last) = slot->previous;
	*(slot->previous ? &policy_slot(slot->previous)->next : &queues.level[n].first) = slot->next;
	slot->more = 0;
	if (!queues.level[n].first)
		store_relaxed(&queues.used, load_relaxed(&queues.used) & ~(UINT64_C(1) << n));
	store_relaxed(&queues.count, load_relaxed(&queues.count) - 1);
}

static int start(unsigned vprocs)
{
	(void)vprocs;
	for (int n = 0; n < LEVELS; n++)
		queues.level[n].first = queues.level[n].last = NULL;
	store_relaxed(&queues.used, 0);
	store_relaxed(&queues.count, 0);
	store_relaxed(&queues.lock.word, 0);
	return 0;
}

static int enqueue(upcall_t t, enum upcall_ready why, int vproc)
{
	(void)vproc;
	bool at_head = policy_goes_first(t) || why == UPCALL_READY_PREEMPTED;

	lock_take(&queues.lock);
	push(t, at_head);
	lock_drop(&queues.lock);
	return UPCALL_ANY_VPROC;
}

/* The levels that go before `running`: equal ones too if its turn is over. */
static uint64_t levels_before(upcall_t running, bool turn_is_over)
{
	unsigned n = level_of(running) + !turn_is_over;

	return n < LEVELS ? UINT64_MAX << n : 0;
}

static upcall_t dequeue(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	uint64_t wanted = current ? levels_before(current, why != UPCALL_READY_PREEMPTED) : UINT64_MAX;
	upcall_t t = NULL;

	(void)vproc;
	if (!(load_relaxed(&queues.used) & wanted))
		return NULL;
	lock_take(&queues.lock);
	uint64_t used = load_relaxed(&queues.used) & wanted;

	if (used) {
		t = queues.level[63 - __builtin_clzll(used)].first;
		if (current)		/* first: who looks without the lock finds something throughout */
			push(current, why == UPCALL_READY_PREEMPTED);
		take_out(t);
	}
	lock_drop(&queues.lock);
	return t;
}

static unsigned count(unsigned vproc)
{
	(void)vproc;
	return load_relaxed(&queues.count);
}

static bool preempts(unsigned vproc, upcall_t running)
{
	(void)vproc;
	return load_relaxed(&queues.used) & levels_before(running, false);
}

static void changed(upcall_t t)
{
	lock_take(&queues.lock);
	if (policy_slot(t)->more && policy_slot(t)->more != level_of(t) + 1) {
		take_out(t);
		push(t, false);
	}
	lock_drop(&queues.lock);
}

const struct upcall_policy policy_priority = {
	.size = sizeof(policy_priority), .name = "priority",
	.flags = UPCALL_POLICY_PRIORITIES | UPCALL_POLICY_EXCHANGES,
	.enqueue = enqueue, .dequeue = dequeue, .count = count, .preempts = preempts, .changed = changed,
	.start = start,
};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Policy "fifo": one queue for all vprocs, in the order in which threads became ready.  A slice ends a
 * turn, nothing else does.  Who blocked in the kernel amid a section that is not to be preempted is
 * the next.
 */
#include "policy.h"

static struct {
	struct lock lock;
	upcall_t first, last;
	struct au32 count;		/* written under the lock */
} queue;

static int start(unsigned vprocs)
{
	(void)vprocs;
	queue.first = queue.last = NULL;
	store_relaxed(&queue.count, 0);
	store_relaxed(&queue.lock.word, 0);
	return 0;
}

static void push(upcall_t t, bool at_head)
{
	policy_slot(t)->next = at_head ? queue.first : NULL;
	if (!queue.first || !at_head) {
		if (queue.first)
			policy_slot(queue.last)->next = t;
		queue.last = t;
	}
	if (!queue.first || at_head)
		queue.first = t;
	store_relaxed(&queue.count, load_relaxed(&queue.count) + 1);
}

static int enqueue(upcall_t t, enum upcall_ready why, int vproc)
{
	(void)why, (void)vproc;
	bool goes_first = policy_goes_first(t);

	lock_take(&queue.lock);
	push(t, goes_first);
	lock_drop(&queue.lock);
	return UPCALL_ANY_VPROC;
}

static upcall_t dequeue(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	(void)vproc;
	if ((current && why == UPCALL_READY_PREEMPTED) || load_relaxed(&queue.count) == 0)
		return NULL;
	lock_take(&queue.lock);
	upcall_t t = queue.first;

	if (t && current)		/* first: who looks without the lock finds something throughout */
		push(current, false);
	if (t) {
		queue.first = policy_slot(t)->next;
		store_relaxed(&queue.count, load_relaxed(&queue.count) - 1);
	}
	lock_drop(&queue.lock);
	return t;
}

static unsigned count(unsigned vproc)
{
	(void)vproc;
	return load_relaxed(&queue.count);
}

const struct upcall_policy policy_fifo = {
	.size = sizeof(policy_fifo), .name = "fifo", .flags = UPCALL_POLICY_EXCHANGES,
	.enqueue = enqueue, .dequeue = dequeue, .count = count, .start = start,
};

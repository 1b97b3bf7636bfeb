// SPDX-License-Identifier: BSD-2-Clause
#include "inherit.h"

#include <string.h>

/* Guards lends_to and lenders of all threads, and who changes a priority in force; after a bucket's lock. */
static struct lock lock;

static int in_force(const struct thread *t)
{
	return (int)load_relaxed(&t->priority_now);
}

static int wanted(const struct thread *t)
{
	int priority = t->priority;

	for (struct list *at = t->lenders.next; at && at != &t->lenders; at = at->next) {
		int lent = in_force(container_of(at, struct thread, lender_link));

		priority = lent > priority ? lent : priority;
	}
	return priority;
}

/* t's own priority, or its lenders', have changed.  A circle of owners, a deadlock, ends where nothing changes. */
static void settle(struct thread *t)
{
	for (; t && wanted(t) != in_force(t); t = t->lends_to)
		sched_set_priority_now(t, wanted(t));
}

static void stop_lending(struct thread *t)
{
	list_remove(&t->lender_link);
	t->lends_to = NULL;
}

static void lend(struct thread *t, const void *word, struct thread *owner)
{
	struct thread *before = t->lends_to;

	t->lends_for = word;
	if (before == owner)
		return;
	if (before) {
		stop_lending(t);
		settle(before);
	}
	if (!owner || owner == t)
		return;
	if (!owner->lenders.next)
		list_init(&owner->lenders);
	list_push_back(&owner->lenders, &t->lender_link);
	t->lends_to = owner;
	settle(owner);
}

void inherit_lend(struct thread *me, const struct au32 *word, const struct owner *owner)
{
	lock_take(&lock);
	lend(me, word, load_seq_cst(owner));		/* pairs: inherit.owner */
	lock_drop(&lock);
}

void inherit_adopt(struct bucket *b, const struct au32 *word, const struct owner *owner)
{
	lock_take(&lock);
	struct thread *to = load_seq_cst(owner);

	for (struct list *at = b->queue.next; b->waiters && at != &b->queue; at = at->next) {
		struct thread *t = container_of(at, struct thread, wait_link);

		if (load_relaxed(&t->wait_key) == (uintptr_t)word)	/* relaxed: guarded by the bucket */
			lend(t, word, to);
	}
	lock_drop(&lock);
}

void inherit_end(struct thread *me)
{
	struct thread *to;

	lock_take(&lock);
	to = me->lends_to;
	if (to)
		lend(me, NULL, NULL);
	lock_drop(&lock);
	if (to)				/* it gave up: the owner may be one to make room now */
		sched_reconsider();
}

bool inherit_return(struct thread *t, const struct au32 *word)
{
	int before;

	lock_take(&lock);
	before = in_force(t);
	for (struct list *at = t->lenders.next, *next; at && at != &t->lenders; at = next) {
		struct thread *lender = container_of(at, struct thread, lender_link);

		next = at->next;
		if (lender->lends_for == word)
			stop_lending(lender);
	}
	settle(t);
	bool is_lower = in_force(t) < before;

	lock_drop(&lock);
	return is_lower;
}

void inherit_set_own(struct thread *t, int priority)
{
	lock_take(&lock);
	t->priority = (int8_t)priority;
	settle(t);
	lock_drop(&lock);
	sched_reconsider();
}

/* Its waiters and whom it waited for stayed in the parent. */
void inherit_fork_child(struct thread *me)
{
	lock_fork_child(&lock);
	me->lenders.next = me->lenders.prev = NULL;
	me->lends_to = NULL;
	store_relaxed(&me->priority_now, (uint32_t)(int)me->priority);
}

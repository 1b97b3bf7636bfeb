// SPDX-License-Identifier: BSD-2-Clause
/*
 * Timed waits: a pairing heap per vproc, its nodes inside the descriptors, so a sleeper costs
 * neither memory nor a system call.  Setting is O(1), clearing O(log n) amortised.
 *
 * A timer that is popped is told to sched_hooks.timeout with the wait's sequence number: a wait
 * that ended meanwhile has another number.
 */
#include "../upcall/events.h"
#include "vproc.h"

enum { FIRE_BATCH = 64 };

static struct timer *meld(struct timer *a, struct timer *b)
{
	if (!a || !b)
		return a ? a : b;
	if (b->deadline_ns < a->deadline_ns) {
		struct timer *t = a;

		a = b;
		b = t;
	}
	/* b becomes a's first child; a child's prev is its left sibling, or its parent. */
	b->prev = a;
	b->next = a->child;
	if (a->child)
		a->child->prev = b;
	a->child = b;
	return a;
}

static struct timer *meld_children(struct timer *first)
{
	struct timer *pairs = NULL, *root = NULL;

	while (first) {
		struct timer *a = first, *b = a->next;

		first = b ? b->next : NULL;
		a->next = a->prev = NULL;
		if (b)
			b->next = b->prev = NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct timer *next = pairs->next;

		pairs->next = NULL;
		root = meld(root, pairs);
		pairs = next;
	}
	return root;
}

static void heap_remove(struct timer_heap *h, struct timer *t)
{
	if (h->root == t) {
		h->root = meld_children(t->child);
	} else {
		if (t->prev->child == t)
			t->prev->child = t->next;
		else
			t->prev->next = t->next;
		if (t->next)
			t->next->prev = t->prev;
		t->next = t->prev = NULL;
		h->root = meld(h->root, meld_children(t->child));
	}
	if (h->root)
		h->root->prev = h->root->next = NULL;
	t->child = t->next = t->prev = NULL;
	t->heap = NULL;
	store_relaxed(&h->next_ns, h->root ? h->root->deadline_ns : NEVER);
}

void timers_init(struct timer_heap *h)
{
	store_relaxed(&h->next_ns, NEVER);
}

void timer_set(struct thread *me, uint64_t deadline_ns, uint32_t seq)
{
	struct timer_heap *h = &me->act->vproc->timers;

	me->timer.deadline_ns = deadline_ns;
	me->timer_seq = seq;
	lock_take(&h->lock);
	me->timer.child = me->timer.next = me->timer.prev = NULL;
	me->timer.heap = h;
	h->root = meld(h->root, &me->timer);
	store_relaxed(&h->next_ns, h->root->deadline_ns);
	lock_drop(&h->lock);
}

/* Only its own thread sets and clears a timer; only a firing takes it out beside that. */
void timer_clear(struct thread *me)
{
	struct timer_heap *h = __atomic_load_n(&me->timer.heap, __ATOMIC_RELAXED);

	if (!h)
		return;
	lock_take(&h->lock);
	if (me->timer.heap)
		heap_remove(h, &me->timer);
	lock_drop(&h->lock);
}

void timers_run(struct vproc *vp, uint64_t now)
{
	struct timer_heap *h = &vp->timers;

	while (load_relaxed(&h->next_ns) <= now) {
		struct { struct thread *t; uint32_t seq; } due[FIRE_BATCH];
		int n = 0;

		lock_take(&h->lock);
		while (n < FIRE_BATCH && h->root && h->root->deadline_ns <= now) {
			struct thread *t = container_of(h->root, struct thread, timer);

			due[n].t = t;
			due[n++].seq = t->timer_seq;
			heap_remove(h, h->root);
		}
		lock_drop(&h->lock);
		for (int i = 0; i < n; i++) {
			events_post(vp, UPCALL_REPORT_TIMER, due[i].t, NULL);
			sched_hooks.timeout(due[i].t, due[i].seq);
			if (inject_now(INJECT_DOUBLED, 4))
				sched_hooks.timeout(due[i].t, due[i].seq);
		}
	}
}

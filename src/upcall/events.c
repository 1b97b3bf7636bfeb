// SPDX-License-Identifier: BSD-2-Clause
#include "events.h"

#include <errno.h>
#include <string.h>

#include "../bpf/abi.h"
#include "../sched/policy.h"
#include "../sched/vproc.h"

enum { ROOM = 16 };		/* of each kind */
enum { ALL_KINDS = (1 << UPCALL_REPORT_KINDS) - 1 };

typedef void (*handler_fn)(const struct upcall_report *event, void *arg);

struct receiver {
	handler_fn fn;			/* NULL: none */
	void *arg;
};

/*
 * Guarded by `lock`, but for what is said of deliveries.
 * Order:
 *   events.wait   who waits: count itself (RMW), read `delivered`, look whether it is told; owner: tell it, add to
 *                 `delivered` (RMW), read `waiters`
 *   events.sleep  owner: say that it is about to sleep or block (RMW, idle_bit_set), look whether some wait; who posts or
 *                 unmasks: do that under the lock, make a fence, look whether it has said so
 *   events.close  owner: count the delivery (RMW), look whether there is a handler, and at the mask; who closes, or
 *                 masks: do that, look whether there are deliveries
 */
struct queue {
	struct lock lock;
	uint32_t mask;			/* what is held back: by all who wait, or `base` where nobody does */
	uint32_t base;
	struct events_waiter *waiting;	/* the last to begin first */
	struct receiver receiver;	/* set while there are no deliveries */
	struct au32 deliveries;		/* going on */
	struct au32 delivered, waiters;
	struct au32 is_news;		/* the owner writes it: delivered, and not told yet to those who wait */
	struct kind_queue {
		uint32_t head, tail, lost;	/* head <= tail <= head + ROOM */
		struct upcall_report at[ROOM];
	} kinds[UPCALL_REPORT_KINDS];
};

struct au32 events_warn_us = { 4000 };
struct au32 events_open;		/* there is a handler, or the policy has one */
static APTR(struct queue) queues;	/* of each vproc; never given back */
static struct receiver receiver;	/* of vprocs that have none of their own */

static int32_t call_of(struct activation *a)
{
	const struct abi_slot *slot = a ? load_acquire(&a->slot) : NULL;

	return slot && slot->state == ABI_BLOCKED ? slot->call : -2;
}

static bool owns(struct vproc *vp)
{
	struct thread *me = self_ptr;

	return me && me->kind != THREAD_BOUND && me->in_rt && me->act->vproc == vp && is_owner(me->act);
}

static struct queue *queue_of(unsigned vproc)
{
	return &load_acquire(&queues)[vproc];
}

/* It has something to deliver, and is not the caller's.  What is urgent does not wait for the monitor's next look. */
static void ask_to_look(struct vproc *vp, bool is_urgent)
{
	struct activation *owner = vproc_owner(vp);

	fence_seq_cst();			/* pairs: events.sleep */
	if (load_relaxed(&vp->wake) != VW_OFF && idle_bit_clear(vp)) {
		vproc_kick(vp);
		return;
	}
	store_relaxed(&vp->looks_left, 0);	/* its next switch looks round */
	if (is_urgent && owner)
		preempt_poke(owner);
}

void events_put(struct vproc *vp, enum upcall_report_kind kind, struct thread *t, struct activation *a)
{
	bool is_block = kind == UPCALL_REPORT_BLOCKED;
	int32_t call = is_block ? call_of(a) : -1;

	if (is_block && call == -1)
		kind = UPCALL_REPORT_FAULT;
	struct upcall_report event = {
		.kind = kind, .vproc = vp->id, .thread = t ? t->id : 0, .activation = a ? a->tid : 0,
		.call = call < 0 ? -1 : call, .time_ns = now_ns(), .handle = (struct upcall_thread *)(void *)t,
	};
	struct queue *q = queue_of(vp->id);
	struct kind_queue *k = &q->kinds[kind];
	bool is_masked;

	lock_take(&q->lock);
	is_masked = q->mask >> kind & 1;
	if (k->tail - k->head == ROOM) {
		k->lost++;
	} else {
		event.lost = k->lost;
		k->lost = 0;
		k->at[k->tail++ % ROOM] = event;
	}
	lock_drop(&q->lock);
	if (is_masked)
		return;
	if (owns(vp))
		events_deliver(vp);
	else
		ask_to_look(vp, kind == UPCALL_REPORT_WARNING);
}

/* One that is not masked; under the lock. */
static struct kind_queue *first_of(struct queue *q)
{
	for (int i = 0; i < UPCALL_REPORT_KINDS; i++)
		if (!(q->mask >> i & 1) && q->kinds[i].head != q->kinds[i].tail)
			return &q->kinds[i];
	return NULL;
}

static bool take(struct queue *q, struct upcall_report *ret_event)
{
	lock_take(&q->lock);
	struct kind_queue *k = first_of(q);

	if (k) {
		*ret_event = k->at[k->head++ % ROOM];
		for (struct events_waiter *w = q->waiting; w; w = w->next)
			w->is_taken |= !(w->mask >> ret_event->kind & 1);
	}
	lock_drop(&q->lock);
	return k != NULL;
}

bool events_have_some(struct vproc *vp)
{
	struct queue *q = queue_of(vp->id);

	lock_take(&q->lock);
	bool has = first_of(q) != NULL;

	lock_drop(&q->lock);
	return has || load_relaxed(&q->is_news);	/* relaxed: owner's own, or a later tick sees it */
}

/* It may be in the middle of a park, with a lock: those who wait are told by events_tell, soon. */
static void note_delivery(struct vproc *vp, struct queue *q)
{
	if (load_seq_cst(&q->waiters)) {
		lock_take(&q->lock);
		for (struct events_waiter *w = q->waiting; w; w = w->next)
			if (w->is_taken)
				store_relaxed(&w->is_told, 1);
		lock_drop(&q->lock);
	}
	fetch_add(&q->delivered, 1);		/* pairs: events.wait */
	if (!load_seq_cst(&q->waiters))
		return;
	store_relaxed(&q->is_news, 1);
	vp->is_poll_due = true;
	store_relaxed(&vp->looks_left, 0);
}

void events_deliver(struct vproc *vp)
{
	struct queue *q = queue_of(vp->id);
	struct upcall_report event;

	fetch_add(&q->deliveries, 1);		/* pairs: events.close */
	while (load_seq_cst(&events_open) && take(q, &event)) {
		const struct receiver *to = q->receiver.fn ? &q->receiver : &receiver;

		if (policy.event)
			policy.event(&event);
		if (to->fn)
			to->fn(&event, to->arg);
		note_delivery(vp, q);
	}
	fetch_sub(&q->deliveries, 1);
}

void events_tell(struct vproc *vp)
{
	struct queue *q = queue_of(vp->id);

	events_deliver(vp);
	if (likely(!load_relaxed(&q->is_news)))
		return;
	store_relaxed(&q->is_news, 0);
	sched_hooks.reported(&q->delivered);
}

static int make_queues(void)
{
	enum { BYTES = VPROCS_MAX * sizeof(struct queue) };	/* touched as far as there are vprocs */
	struct queue *none = NULL, *made;

	if (load_acquire(&queues))
		return 0;
	made = sys_map(BYTES);
	if (!made)
		return -ENOMEM;
	if (!cas_seq_cst(&queues, &none, made))
		sys_unmap(made, BYTES);
	return 0;
}

/* Beyond those nothing has been touched. */
static unsigned queues_used(void)
{
	return sched_is_started ? vprocs_made() : VPROCS_MAX;
}

static bool has_receiver(void)
{
	bool has = receiver.fn || (sched_is_started && policy.event);

	for (unsigned i = 0; load_relaxed(&queues) && i < queues_used() && !has; i++)
		has = queue_of(i)->receiver.fn;
	return has;
}

static void await_deliveries(struct queue *q)
{
	while (load_seq_cst(&q->deliveries))		/* pairs: events.close */
		sys_yield();
}

/* What comes from before there was a handler. */
static void forget_all(struct queue *q)
{
	struct thread *me = sched_is_started ? rt_enter() : NULL;

	lock_take(&q->lock);
	for (struct kind_queue *k = q->kinds; k < q->kinds + UPCALL_REPORT_KINDS; k++) {
		k->head = k->tail;
		k->lost = 0;
	}
	lock_drop(&q->lock);
	if (me)
		rt_leave(me);
}

/* While no delivery goes on. */
static void set_receiver(struct receiver *to, handler_fn fn, void *arg)
{
	bool was_open = load_relaxed(&events_open);

	store_seq_cst(&events_open, 0);
	for (unsigned i = 0; load_relaxed(&queues) && i < queues_used(); i++) {
		await_deliveries(queue_of(i));
		if (!was_open)
			forget_all(queue_of(i));
	}
	*to = (struct receiver){ fn, arg };
	store_seq_cst(&events_open, has_receiver());
}

static bool is_a_vproc(uint32_t vproc)
{
	return vproc < VPROCS_MAX && (!sched_is_started || vproc < vprocs_made());
}

__attribute__((visibility("default")))
int upcall_reports_open(handler_fn fn, void *arg)
{
	int err = fn ? make_queues() : 0;

	set_receiver(&receiver, err ? NULL : fn, arg);
	return err;
}

__attribute__((visibility("default")))
int upcall_reports_open_on(uint32_t vproc, handler_fn fn, void *arg)
{
	if (!is_a_vproc(vproc))
		return -EINVAL;
	int err = make_queues();

	if (!err)
		set_receiver(&queue_of(vproc)->receiver, fn, arg);
	return err;
}

/* What was going on in the parent goes on there: its deliveries, and what it has not delivered yet. */
void events_fork_child(void)
{
	for (unsigned i = 0; load_relaxed(&queues) && i < vprocs_made(); i++) {
		struct queue *q = queue_of(i);

		lock_fork_child(&q->lock);
		memset(q->kinds, 0, sizeof(q->kinds));
		store_relaxed(&q->deliveries, 0);
		store_relaxed(&q->waiters, 0);
		q->waiting = NULL;
		q->mask = q->base;
	}
}

int events_start(void)
{
	int err = policy.event ? make_queues() : 0;

	if (!err && policy.event)
		store_seq_cst(&events_open, 1);
	return err;
}

/* Under the lock.  Returns what was held back before, as the next three do. */
static uint32_t update_mask(struct queue *q)
{
	uint32_t before = q->mask;

	q->mask = q->waiting ? ALL_KINDS : q->base;
	for (struct events_waiter *w = q->waiting; w; w = w->next)
		q->mask &= w->mask;
	return before;
}

static uint32_t set_base(struct queue *q, uint32_t mask, uint32_t *ret_base)
{
	lock_take(&q->lock);
	*ret_base = q->base;
	q->base = mask & ALL_KINDS;
	uint32_t before = update_mask(q);

	lock_drop(&q->lock);
	return before;
}

static uint32_t add_waiter(struct queue *q, struct events_waiter *w)
{
	lock_take(&q->lock);
	w->next = q->waiting;
	q->waiting = w;
	uint32_t before = update_mask(q);

	lock_drop(&q->lock);
	return before;
}

static uint32_t remove_waiter(struct queue *q, struct events_waiter *w)
{
	lock_take(&q->lock);
	struct events_waiter **at = &q->waiting;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	uint32_t before = update_mask(q);

	lock_drop(&q->lock);
	return before;
}

/* The mask was `before`: what waits for less is delivered, and of what is held back now nothing comes any more. */
static void leave_with_new_mask(struct thread *me, struct vproc *vp, uint32_t before)
{
	struct queue *q = queue_of(vp->id);
	uint32_t mask = q->mask;
	bool is_own = owns(vp), is_open = load_relaxed(&events_open);

	if (is_open && is_own) {
		events_deliver(vp);
	} else if (is_open && events_have_some(vp)) {
		ask_to_look(vp, true);
	}
	rt_leave(me);
	if (!is_own && mask & ~before)
		await_deliveries(q);
}

__attribute__((visibility("default")))
int upcall_reports_mask(uint32_t vproc, uint32_t mask)
{
	if (!is_a_vproc(vproc) || make_queues())
		return -EINVAL;
	struct thread *me = sched_is_started ? rt_enter() : NULL;
	uint32_t base, before = set_base(queue_of(vproc), mask, &base);

	if (me)
		leave_with_new_mask(me, &sched.vprocs[vproc], before);
	return (int)base;
}

struct au32 *events_wait_begin(unsigned vproc, struct events_waiter *w)
{
	if (!is_a_vproc(vproc) || !load_relaxed(&events_open))
		return NULL;
	struct queue *q = queue_of(vproc);
	struct thread *me = rt_enter();

	fetch_add(&q->waiters, 1);		/* pairs: events.wait */
	leave_with_new_mask(me, &sched.vprocs[vproc], add_waiter(q, w));
	return &q->delivered;
}

void events_wait_end(unsigned vproc, struct events_waiter *w)
{
	struct queue *q = queue_of(vproc);
	struct thread *me = rt_enter();
	uint32_t before = remove_waiter(q, w);

	fetch_sub(&q->waiters, 1);
	leave_with_new_mask(me, &sched.vprocs[vproc], before);
}

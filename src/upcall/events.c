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
 * Guarded by `lock`, but for the mask, which its owner's deliveries read, and what is said of deliveries.
 * Order:
 *   events.wait  who waits: count itself (RMW), read `delivered`; owner: add to that (RMW), read `waiters`
 */
struct queue {
	struct lock lock;
	struct au32 mask;
	struct receiver receiver;	/* set while there are no deliveries */
	struct au32 delivered, waiters;
	bool is_news;			/* owner only: delivered, and not told yet */
	struct kind_queue {
		uint32_t head, tail, lost;	/* head <= tail <= head + ROOM */
		struct upcall_report at[ROOM];
	} kinds[UPCALL_REPORT_KINDS];
};

struct au32 events_open;		/* there is a handler, or the policy has one */
static struct queue *queues;		/* of each vproc; never given back */
static struct receiver receiver;	/* of vprocs that have none of their own */
static struct au32 deliveries;		/* going on */

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

void events_put(struct vproc *vp, enum upcall_report_kind kind, struct thread *t, struct activation *a)
{
	bool is_block = kind == UPCALL_REPORT_BLOCKED;
	int32_t call = is_block ? call_of(a) : -1;

	if (is_block && call == -1)
		kind = UPCALL_REPORT_FAULT;
	struct upcall_report event = {
		.kind = kind, .vproc = vp->id, .thread = t ? t->id : 0, .activation = a ? a->tid : 0,
		.call = call < 0 ? -1 : call, .time_ns = now_ns(),
	};
	struct queue *q = &queues[vp->id];
	struct kind_queue *k = &q->kinds[kind];

	lock_take(&q->lock);
	if (k->tail - k->head == ROOM) {
		k->lost++;
	} else {
		event.lost = k->lost;
		k->lost = 0;
		k->at[k->tail++ % ROOM] = event;
	}
	lock_drop(&q->lock);
	if (owns(vp))
		events_deliver(vp);
	else
		store_relaxed(&vp->looks_left, 0);	/* its next switch looks round */
}

static bool take(struct queue *q, struct upcall_report *ret_event)
{
	uint32_t mask = load_relaxed(&q->mask);
	bool found = false;

	lock_take(&q->lock);
	for (int i = 0; i < UPCALL_REPORT_KINDS && !found; i++) {
		struct kind_queue *k = &q->kinds[i];

		if (mask >> i & 1 || k->head == k->tail)
			continue;
		*ret_event = k->at[k->head++ % ROOM];
		found = true;
	}
	lock_drop(&q->lock);
	return found;
}

/* It may be in the middle of a park, with a lock: those who wait are told at the next switch. */
static void note_delivery(struct vproc *vp, struct queue *q)
{
	fetch_add(&q->delivered, 1);		/* pairs: events.wait */
	if (!load_seq_cst(&q->waiters))
		return;
	q->is_news = vp->is_poll_due = true;
	store_relaxed(&vp->looks_left, 0);
}

void events_deliver(struct vproc *vp)
{
	struct queue *q = &queues[vp->id];
	struct upcall_report event;

	fetch_add(&deliveries, 1);
	while (load_seq_cst(&events_open) && take(q, &event)) {
		const struct receiver *to = q->receiver.fn ? &q->receiver : &receiver;

		if (policy.event)
			policy.event(&event);
		if (to->fn)
			to->fn(&event, to->arg);
		note_delivery(vp, q);
	}
	fetch_sub(&deliveries, 1);
}

void events_tell(struct vproc *vp)
{
	struct queue *q = &queues[vp->id];

	events_deliver(vp);
	if (likely(!q->is_news))
		return;
	q->is_news = false;
	sched_hooks.reported(&q->delivered);
}

static int make_queues(void)
{
	if (!queues)
		queues = sys_map(VPROCS_MAX * sizeof(struct queue));	/* touched as far as there are vprocs */
	return queues ? 0 : -ENOMEM;
}

static bool has_receiver(void)
{
	bool has = receiver.fn || (sched_is_started && policy.event);

	for (unsigned i = 0; queues && i < VPROCS_MAX && !has; i++)
		has = queues[i].receiver.fn;
	return has;
}

/* While no delivery goes on. */
static void set_receiver(struct receiver *to, handler_fn fn, void *arg)
{
	store_seq_cst(&events_open, 0);
	while (load_seq_cst(&deliveries))
		sys_yield();
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
		set_receiver(&queues[vproc].receiver, fn, arg);
	return err;
}

struct au32 *events_wait_begin(unsigned vproc)
{
	if (!is_a_vproc(vproc) || !load_relaxed(&events_open))
		return NULL;
	fetch_add(&queues[vproc].waiters, 1);		/* pairs: events.wait */
	return &queues[vproc].delivered;
}

void events_wait_end(unsigned vproc)
{
	fetch_sub(&queues[vproc].waiters, 1);
}

/* What was going on in the parent goes on there: its deliveries, and what it has not delivered yet. */
void events_fork_child(void)
{
	store_relaxed(&deliveries, 0);
	for (unsigned i = 0; queues && i < vprocs_made(); i++) {
		memset(&queues[i].lock, 0, sizeof(queues[i].lock));
		memset(queues[i].kinds, 0, sizeof(queues[i].kinds));
		store_relaxed(&queues[i].waiters, 0);
	}
}

int events_start(void)
{
	int err = policy.event ? make_queues() : 0;

	if (!err && policy.event)
		store_seq_cst(&events_open, 1);
	return err;
}

__attribute__((visibility("default")))
int upcall_reports_mask(uint32_t vproc, uint32_t mask)
{
	if (!is_a_vproc(vproc) || make_queues())
		return -EINVAL;
	uint32_t before = xchg_acq_rel(&queues[vproc].mask, mask & ALL_KINDS);

	if (!sched_is_started || !load_relaxed(&events_open))
		return (int)before;
	struct thread *me = rt_enter();

	if (owns(&sched.vprocs[vproc]))
		events_deliver(&sched.vprocs[vproc]);
	else
		vproc_nudge(&sched.vprocs[vproc]);
	rt_leave(me);
	return (int)before;
}

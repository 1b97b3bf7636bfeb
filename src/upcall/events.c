// SPDX-License-Identifier: BSD-2-Clause
#include "events.h"

#include <errno.h>
#include <string.h>

#include "../bpf/abi.h"
#include "../sched/policy.h"
#include "../sched/vproc.h"

enum { ROOM = 16 };		/* of each kind */

/* Guarded by `lock`, but for the mask, which its owner's deliveries read. */
struct queue {
	struct lock lock;
	struct au32 mask;
	struct kind_queue {
		uint32_t head, tail, lost;	/* head <= tail <= head + ROOM */
		struct upcall_report at[ROOM];
	} kinds[UPCALL_REPORT_KINDS];
};

struct au32 events_open;		/* there is a handler, or the policy has one */
static struct queue *queues;		/* of each vproc; never given back */
static void (*handler)(const struct upcall_report *, void *);
static void *handler_arg;
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

void events_deliver(struct vproc *vp)
{
	struct upcall_report event;

	fetch_add(&deliveries, 1);
	while (load_seq_cst(&events_open) && take(&queues[vp->id], &event)) {
		if (policy.event)
			policy.event(&event);
		if (handler)
			handler(&event, handler_arg);
	}
	fetch_sub(&deliveries, 1);
}

static int make_queues(void)
{
	if (!queues)
		queues = sys_map(VPROCS_MAX * sizeof(struct queue));	/* touched as far as there are vprocs */
	return queues ? 0 : -ENOMEM;
}

__attribute__((visibility("default")))
int upcall_reports_open(void (*fn)(const struct upcall_report *, void *), void *arg)
{
	store_seq_cst(&events_open, 0);
	while (load_seq_cst(&deliveries))
		sys_yield();
	handler = fn;
	handler_arg = arg;
	int err = fn ? make_queues() : 0;

	if (err)
		handler = NULL;
	store_seq_cst(&events_open, handler || (sched_is_started && policy.event));
	return err;
}

/* What was going on in the parent goes on there: its deliveries, and what it has not delivered yet. */
void events_fork_child(void)
{
	store_relaxed(&deliveries, 0);
	for (unsigned i = 0; queues && i < vprocs_made(); i++) {
		memset(&queues[i].lock, 0, sizeof(queues[i].lock));
		memset(queues[i].kinds, 0, sizeof(queues[i].kinds));
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
	if (vproc >= VPROCS_MAX || (sched_is_started && vproc >= vprocs_made()) || make_queues())
		return -EINVAL;
	uint32_t before = xchg_acq_rel(&queues[vproc].mask, mask);

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

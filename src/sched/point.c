// SPDX-License-Identifier: BSD-2-Clause
#include "point.h"

static const uint8_t left_for[] = {
	[POST_NONE] = UPCALL_LEFT_IDLE, [POST_PARK] = UPCALL_LEFT_PARK, [POST_YIELD] = UPCALL_LEFT_YIELD,
	[POST_PREEMPT] = UPCALL_LEFT_PREEMPT, [POST_LOST] = UPCALL_LEFT_LOST, [POST_BIND] = UPCALL_LEFT_BIND,
	[POST_EXIT] = UPCALL_LEFT_EXIT, [POST_SPAWN] = UPCALL_LEFT_SPAWN,
};

/* An activation that lost its vproc, or carries a bound thread, owns none: its ring is another's. */
static bool switches_on_a_vproc(struct thread *prev, struct thread *next, enum post post)
{
	return post == POST_BIND ||
	       (post != POST_LOST && prev->kind != THREAD_BOUND && next->kind != THREAD_BOUND);
}

static struct vproc *own_vproc(const struct thread *me)
{
	return me && me->kind != THREAD_BOUND && is_owner(me->act) ? me->act->vproc : NULL;
}

static unsigned number_of(const struct vproc *vp)
{
	return vp ? vp->id : UPCALL_TRACE_NO_VPROC;
}

/* For people the channel, not the condition in it. */
static uint64_t object_of(const struct thread *t)
{
	return t->wait_kind == WAIT_SEND || t->wait_kind == WAIT_RECEIVE ? t->wait_arg : load_relaxed(&t->wait_key);
}

/* To read the clock costs more than all the rest of an event. */
static uint64_t wake_ticks(struct vproc *vp)
{
	if (!vp || !vp->wakes_ticks)
		return arch_ticks();
	if (vp->wakes_ticks == WAKES_UNTIMED)
		vp->wakes_ticks = arch_ticks();
	return vp->wakes_ticks;
}

void tell_switch(struct activation *a, struct thread *prev, struct thread *next, enum post post)
{
	bool parks = post == POST_PARK;
	unsigned vproc = switches_on_a_vproc(prev, next, post) ? a->vproc->id : UPCALL_TRACE_NO_VPROC;

	trace_put(arch_ticks(), trace_words(UPCALL_TRACE_SWITCH, left_for[post], vproc, prev->id, next->id,
					    parks ? prev->wait_kind : 0), parks ? object_of(prev) : 0);
}

void tell_wake(struct thread *t)
{
	struct thread *me = self_ptr;
	struct vproc *vp = own_vproc(me);

	trace_put(wake_ticks(vp), trace_words(UPCALL_TRACE_WAKE, t->wait_kind, number_of(vp), me ? me->id : 0, t->id,
					      t->wait_result), object_of(t));
}

void tell_create(struct thread *t)
{
	struct thread *me = self_ptr;

	trace_put(arch_ticks(), trace_words(UPCALL_TRACE_CREATE, 0, number_of(own_vproc(me)), me ? me->id : 0, t->id, 0),
		  (uintptr_t)t->start);
}

void tell_thread(enum upcall_trace_kind kind, struct thread *t)
{
	trace_put(arch_ticks(), trace_words(kind, t->wait_kind, number_of(own_vproc(self_ptr)), t->id, 0, 0),
		  object_of(t));
}

void tell_vproc(enum upcall_trace_kind kind, struct vproc *vp, struct thread *t, uint8_t reason,
		uint32_t number, uint64_t object)
{
	trace_put(arch_ticks(), trace_words(kind, reason, number_of(vp), t ? t->id : 0, 0,
					    number), object);
}

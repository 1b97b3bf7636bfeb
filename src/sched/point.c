// SPDX-License-Identifier: BSD-2-Clause
#include "point.h"

/* Reasons, results and kinds share a byte (include/upcall/trace.h). */
_Static_assert(WAIT_SIGWAIT < 32 && WAIT_AGAIN < 8 && UPCALL_LEFT_SPAWN < 8, "a detail has eight bits");

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

static void tell_probe(uint64_t ticks, enum upcall_trace_kind kind, unsigned reason, unsigned vproc, uint32_t thread,
		       uint32_t other, uint32_t number, uint64_t object)
{
	struct upcall_trace_event e = { .ticks = ticks, .kind = (uint8_t)kind, .reason = (uint8_t)reason,
					.vproc = (uint16_t)vproc, .thread = thread, .other = other,
					.number = number, .object = object };

	trace_probe(&e);
}

void tell_switch(struct activation *a, struct thread *prev, struct thread *next, enum post post)
{
	bool parks = post == POST_PARK;
	unsigned vproc = switches_on_a_vproc(prev, next, post) ? a->vproc->id : UPCALL_TRACE_NO_VPROC;
	unsigned kind = parks ? prev->wait_kind : 0;
	uint64_t ticks = arch_ticks(), object = parks ? object_of(prev) : 0;

	if (trace_is_probed())
		tell_probe(ticks, UPCALL_TRACE_SWITCH, left_for[post], vproc, prev->id, next->id, kind, object);
	trace_record(vproc, ticks, prev->id, next->id,
		     trace_rest(UPCALL_TRACE_SWITCH, left_for[post] | kind << 3, object));
}

void tell_wake(struct thread *t)
{
	struct thread *me = self_ptr;
	struct vproc *vp = own_vproc(me);
	uint64_t ticks = wake_ticks(vp), object = object_of(t);
	uint32_t by = me ? me->id : 0;

	if (trace_is_probed())
		tell_probe(ticks, UPCALL_TRACE_WAKE, t->wait_kind, number_of(vp), by, t->id, t->wait_result, object);
	trace_record(number_of(vp), ticks, by, t->id,
		     trace_rest(UPCALL_TRACE_WAKE, t->wait_result | (unsigned)t->wait_kind << 3, object));
}

void tell_create(struct thread *t)
{
	struct thread *me = self_ptr;
	unsigned vproc = number_of(own_vproc(me));
	uint64_t ticks = arch_ticks();
	uint32_t by = me ? me->id : 0;

	if (trace_is_probed())
		tell_probe(ticks, UPCALL_TRACE_CREATE, 0, vproc, by, t->id, 0, (uintptr_t)t->start);
	trace_record(vproc, ticks, by, t->id, trace_rest(UPCALL_TRACE_CREATE, 0, (uintptr_t)t->start));
}

void tell_thread(enum upcall_trace_kind kind, struct thread *t)
{
	unsigned vproc = number_of(own_vproc(self_ptr));
	uint64_t ticks = arch_ticks();

	if (trace_is_probed())
		tell_probe(ticks, kind, t->wait_kind, vproc, t->id, 0, 0, object_of(t));
	trace_record(vproc, ticks, TRACE_ANYBODY, t->id, trace_rest(kind, t->wait_kind, object_of(t)));
}

/* Two numbers share what is the object in a record. */
void tell_vproc(enum upcall_trace_kind kind, struct vproc *vp, struct thread *t, uint8_t reason,
		uint32_t number, uint64_t object)
{
	uint64_t ticks = arch_ticks();
	uint32_t thread = t ? t->id : 0;

	if (trace_is_probed())
		tell_probe(ticks, kind, reason, number_of(vp), thread, 0, number, object);
	trace_record(number_of(vp), ticks, TRACE_ANYBODY, thread,
		     trace_rest(kind, reason, number | (uint64_t)(uint16_t)object << 32));
}

// SPDX-License-Identifier: BSD-2-Clause
/* The trace points of sched/, off: a load and a branch each (trace/ring.h).  Inside the runtime. */
#ifndef UPCALL_POINT_H
#define UPCALL_POINT_H

#include "../trace/ring.h"
#include "vproc.h"

#pragma GCC visibility push(hidden)
__attribute__((noinline)) void tell_switch(struct activation *a, struct thread *prev, struct thread *next, enum post post);
__attribute__((noinline)) void tell_wake(struct thread *t);
COLD void tell_thread(enum upcall_trace_kind kind, struct thread *t);
COLD void tell_create(struct thread *t);
COLD void tell_vproc(enum upcall_trace_kind kind, struct vproc *vp, struct thread *t, uint8_t reason,
		uint32_t number, uint64_t object);
#pragma GCC visibility pop

static inline void point_switch(struct activation *a, struct thread *prev, struct thread *next, enum post post)
{
	if (trace_is_on())
		tell_switch(a, prev, next, post);
}

/* Before t, which is parked or about to be, can run. */
static inline void point_wake(struct thread *t)
{
	if (trace_is_on())
		tell_wake(t);
}

static inline void point_create(struct thread *t)
{
	if (trace_is_on())
		tell_create(t);
}

/* t waits, if it is bound to a kernel thread; it goes on. */
static inline void point_park(struct thread *t)
{
	if (trace_is_on())
		tell_thread(UPCALL_TRACE_PARK, t);
}

static inline void point_run(struct thread *t)
{
	if (trace_is_on() && t->kind == THREAD_BOUND)
		tell_thread(UPCALL_TRACE_RUN, t);
}

static inline void point_steal(struct vproc *vp, struct thread *t, struct vproc *victim)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_STEAL, vp, t, 0, victim->id, 0);
}

static inline void point_call(struct thread *t)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_CALL, t->act->vproc, t, 0, (uint32_t)t->act->tid, 0);
}

static inline void point_return(struct thread *t)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_RETURN, t->act->vproc, t, 0, (uint32_t)t->act->tid, 0);
}

static inline void point_sleep(struct vproc *vp, bool polls, uint64_t deadline_ns)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_SLEEP, vp, NULL, polls, 0, deadline_ns);
}

static inline void point_awake(struct vproc *vp)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_AWAKE, vp, NULL, 0, 0, 0);
}

/* Around a look at descriptors: the first wake in it says when, for all. */
static inline void point_poll_begins(struct vproc *vp)
{
	if (trace_is_on())
		vp->wakes_ticks = WAKES_UNTIMED;
}

static inline void point_poll(struct vproc *vp, int woken)
{
	if (trace_is_on() && woken > 0)
		tell_vproc(UPCALL_TRACE_POLL, vp, NULL, 0, (uint32_t)woken, 0);
	vp->wakes_ticks = 0;
}

/* The upcalls, about activation a: vp, not the caller's, is its; it blocked with t, and vp is the caller's; ... */
static inline void point_added(struct vproc *vp, struct activation *a)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_ADDED, NULL, NULL, 0, (uint32_t)a->tid, vp->id);
}

static inline void point_blocked(struct vproc *vp, struct activation *a)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_BLOCKED, vp, load_relaxed(&a->thread), 0, (uint32_t)a->tid, 0);
}

/* ... it found out that it had, with t. */
static inline void point_unblocked(struct activation *a, struct thread *t)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_UNBLOCKED, NULL, t, 0, (uint32_t)a->tid, 0);
}

/* ... other processes had its processor n times while it ran t.  By the monitor. */
static inline void point_preempted(struct vproc *vp, struct activation *a, struct thread *t, unsigned n)
{
	if (trace_is_on())
		tell_vproc(UPCALL_TRACE_PREEMPTED, NULL, t, n < 255 ? (uint8_t)n : 255, (uint32_t)a->tid, vp->id);
}

#endif

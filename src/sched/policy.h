// SPDX-License-Identifier: BSD-2-Clause
/*
 * A policy in the place of work stealing: <upcall/policy.h> seen from inside.
 *
 * Work stealing is built in: its queues belong to vprocs (runq.h), and each place that pushes or pops
 * looks first at one flag, `sched_has_policy`, which never changes once there are threads.  Where it is
 * set those queues stay empty, and the functions below do the work.
 *
 * A thread that yields or is preempted is queued by the policy as it takes the next one, in one step, if the
 * policy is such a one (UPCALL_POLICY_EXCHANGES), and so before its registers are saved.
 * Order:
 *   policy.left  who leaves: registers saved, on another stack: release state READY -> who has taken it from
 *                the queue: acquire state, until it is READY, and run it
 */
#ifndef UPCALL_POLICY_ROOM_H
#define UPCALL_POLICY_ROOM_H

#include <upcall/policy.h>

#include "vproc.h"

#pragma GCC visibility push(hidden)

extern struct upcall_policy policy;	/* all NULL without one */
extern const struct upcall_policy policy_priority, policy_fifo;

void policy_configure(const char *name);
int policy_start(void);			/* for the vprocs that there are now; 0 or -errno */
bool policy_may_grow(void);		/* it copes with more vprocs than there were when it started */
void policy_limit(unsigned n);		/* vprocs 0 .. n-1 may run from now on */
void policy_serve(void);			/* idle vprocs for which something is ready, if any, are woken */
void policy_follow(unsigned n);		/* that changed while threads ran: tells the policy */
const struct upcall_policy *policy_named(const char *name);

/* t, off its stack, is ready: NEW, parked until now, or finished with its turn.  Inside the runtime. */
COLD void policy_ready(struct thread *t, enum upcall_ready why);
/* t, which goes on, is off its stack; post: as it left. */
COLD void policy_left(struct thread *t, enum post post);
/* What vp runs next, after me if that goes on or waits (post).  By vp's owner. */
COLD struct thread *policy_pick(struct vproc *vp, struct thread *me, enum post post);
/* Why a thread that goes on is ready. */
enum upcall_ready policy_reason(const struct thread *t, enum post post);

#pragma GCC visibility pop

static inline unsigned policy_count(const struct vproc *vp)
{
	return policy.count(vp->id);
}

static inline upcall_t policy_handle(struct thread *t)
{
	return (upcall_t)(void *)t;
}

static inline struct thread *policy_thread(upcall_t t)
{
	return (struct thread *)(void *)t;
}

static inline struct upcall_policy_slot *policy_slot(upcall_t t)
{
	_Static_assert(sizeof(struct upcall_policy_slot) == sizeof(policy_thread(t)->slot), "slot");
	return (struct upcall_policy_slot *)policy_thread(t)->slot;
}

/* As it becomes ready: amid a section that is not to be preempted, and so to go before its peers. */
static inline bool policy_goes_first(upcall_t t)
{
	bool is_first = policy_thread(t)->goes_first;

	policy_thread(t)->goes_first = false;
	return is_first;
}

static inline int policy_priority_of(const struct thread *t)
{
	return (int)load_relaxed(&t->priority_now);	/* relaxed: who changes it tells the policy */
}

/* running is what vp runs: should it make room? */
static inline bool policy_preempts(const struct vproc *vp, struct thread *running)
{
	return policy.preempts && running && running->kind == THREAD_USER &&
	       policy.preempts(vp->id, policy_handle(running));
}

/* Something waits that vp, if its owner blocked, could run. */
static inline bool vproc_has_ready(const struct vproc *vp)
{
	return unlikely(sched_has_policy) ? policy_count(vp) : !runq_is_empty(&vp->runq);
}

#endif

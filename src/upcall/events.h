// SPDX-License-Identifier: BSD-2-Clause
/*
 * One stream of events, whoever the source.  They are posted from anywhere inside the runtime, queued on
 * the vproc that they are about, and delivered on it by its owner: at once if the poster is the owner,
 * else the next time that it looks round; of a thread that computes by the handler of a signal.  Closed, a post is a load
 * and a branch, at points that are rare.
 */
#ifndef UPCALL_UPCALL_EVENTS_H
#define UPCALL_UPCALL_EVENTS_H

#include <upcall/reports.h>

#include "../base/atomic.h"

struct activation;
struct thread;
struct vproc;

struct events_waiter {
	uint32_t mask;			/* the kinds that it holds back */
	bool is_taken;			/* one of the others is being delivered, or has been */
	struct au32 is_told;		/* has been */
	struct events_waiter *next;
};

#pragma GCC visibility push(hidden)
extern struct au32 events_open;
extern struct au32 events_warn_us;	/* so long before a vproc is taken away it is told */
void events_fork_child(void);
int events_start(void);		/* for the policy; 0 or -ENOMEM */
COLD void events_put(struct vproc *vp, enum upcall_report_kind kind, struct thread *t, struct activation *a);
COLD void events_deliver(struct vproc *vp);
/*
 * Who waits until an event of this vproc that it does not hold back has been delivered: w->is_told then.  The word grows with
 * each event, and sched_hooks.reported says that it has.  NULL: there is no such vproc, or no handler.
 */
struct au32 *events_wait_begin(unsigned vproc, struct events_waiter *w);
void events_wait_end(unsigned vproc, struct events_waiter *w);
COLD void events_tell(struct vproc *vp);
COLD bool events_have_some(struct vproc *vp);	/* to deliver, or to tell of */
#pragma GCC visibility pop

static inline void events_post(struct vproc *vp, enum upcall_report_kind kind, struct thread *t,
			       struct activation *a)
{
	if (unlikely(load_relaxed(&events_open)))
		events_put(vp, kind, t, a);
}

/* By the owner of vp, inside the runtime. */
static inline void events_look(struct vproc *vp)
{
	if (unlikely(load_relaxed(&events_open)))
		events_deliver(vp);
}

/* The same, holding no lock: those who wait for a delivery go on. */
static inline void events_look_and_tell(struct vproc *vp)
{
	if (unlikely(load_relaxed(&events_open)))
		events_tell(vp);
}

/* By the owner of vp, which has said that it is about to sleep, or to block: pairs: events.sleep. */
static inline bool events_wait(struct vproc *vp)
{
	return unlikely(load_relaxed(&events_open)) && events_have_some(vp);
}

#endif

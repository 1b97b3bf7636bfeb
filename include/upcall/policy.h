/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling policies: which ready thread a vproc runs next.
 *
 * A policy is a structure of functions, given to upcall_init before the first thread.  A thread that
 * becomes ready is handed over by `enqueue`, and is the policy's until `dequeue` gives it to a vproc.
 * All else (who waits for what, idle vprocs, time slices, vprocs whose kernel thread blocked) is done
 * for it.  Bound threads are the kernel's, and never seen here.
 *
 * The functions are called amid the scheduler's work, on any kernel thread and on several at once;
 * nothing preempts or replaces their caller meanwhile.  They may read and write memory (not such as
 * must be read from a disk), call upcall_now, upcall_machine and what is declared below, and take one
 * upcall_policy_lock; they must not wait, allocate, or call anything else.
 */
#ifndef UPCALL_POLICY_H
#define UPCALL_POLICY_H

#include <upcall/reports.h>
#include <upcall/upcall.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"	/* a function may have the name of a structure */
#endif

#pragma GCC visibility push(default)

enum { UPCALL_ANY_VPROC = -1 };

/* Why a thread is ready. */
enum upcall_ready {
	UPCALL_READY_NEW,		/* it was made */
	UPCALL_READY_WOKEN,		/* what it waited for has come */
	UPCALL_READY_UNBLOCKED,		/* it is back from a block in the kernel, which cost it its vproc */
	UPCALL_READY_YIELDED,		/* it called upcall_yield */
	UPCALL_READY_PREEMPTED,		/* it was interrupted amid its slice */
	UPCALL_READY_EXPIRED,		/* its slice is over */
};

/* What a policy keeps with each thread; the runtime does not look at it. */
struct upcall_policy_slot {
	upcall_t next, previous;
	uint64_t word;			/* at birth what upcall_attr.policy_word says, the others 0 */
	uint64_t more;
};

enum {
	/* Of those who wait for one thing the first in order of priority is woken; mutexes lend priorities. */
	UPCALL_POLICY_PRIORITIES = 1,
	/*
	 * Where dequeue finds a thread that goes before `current`, it queues `current` in the same step, and
	 * enqueue is not called: no other vproc finds one of the two with nobody.
	 */
	UPCALL_POLICY_EXCHANGES = 2,
};

struct upcall_policy {
	size_t size;			/* sizeof(struct upcall_policy) */
	const char *name;
	unsigned flags;
	unsigned reserved;		/* 0 */
	/*
	 * t is ready.  vproc: where it ran last or is to start, or UPCALL_ANY_VPROC.  Returns the one vproc
	 * that is to run it, or UPCALL_ANY_VPROC.
	 */
	int (*enqueue)(upcall_t t, enum upcall_ready why, int vproc);
	/*
	 * What vproc runs next; NULL: nothing.  current: NULL, or the thread that it runs now, which can go
	 * on: then only one that goes before it.  It would be ready because of `why`, and is enqueued then, or
	 * queued here (UPCALL_POLICY_EXCHANGES).
	 */
	upcall_t (*dequeue)(unsigned vproc, upcall_t current, enum upcall_ready why);
	/*
	 * How many threads vproc could be given: 0 exactly if dequeue(vproc, NULL) has none.  Asked often,
	 * and before a vproc sleeps.
	 */
	unsigned (*count)(unsigned vproc);

	/* These may be NULL. */
	/* Before the first thread (outside the scheduler: it may allocate); in a forked child again.  0 or -errno. */
	int (*start)(unsigned vprocs);	/* no more come later */
	/* Is there something ready that should not wait until vproc's thread waits or has used up its slice? */
	bool (*preempts)(unsigned vproc, upcall_t running);
	/* t's priority in force has changed; it may be ready or not. */
	void (*changed)(upcall_t t);
	/* From now on only vprocs below n are given anything to run. */
	void (*limit)(unsigned n);
	/* What happens to the vprocs, each event on its own (upcall/reports.h). */
	void (*event)(const struct upcall_report *event);
};

/* Those that come with Upcall: "stealing" (what there is without a policy), "priority", "fifo"; else NULL. */
const struct upcall_policy *upcall_policy_named(const char *name);

/* For policies: */
struct upcall_policy_slot *upcall_policy_slot(upcall_t t);
int upcall_priority_in_force(upcall_t t);	/* its own, or what it has been lent */
/* All zeroes is a free lock.  Held for a moment only. */
struct upcall_policy_lock { uint32_t opaque; };
void upcall_policy_lock(struct upcall_policy_lock *lock);
void upcall_policy_unlock(struct upcall_policy_lock *lock);

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif

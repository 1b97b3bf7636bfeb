// SPDX-License-Identifier: BSD-2-Clause
/*
 * Priorities that private mutexes lend to their owners: PTHREAD_PRIO_PROTECT, PTHREAD_PRIO_INHERIT.
 *
 * Only threads with a real-time policy have priorities; they are bound, and the kernel schedules
 * them.  For all others such a mutex is a plain one, until a real-time thread waits for it: then its
 * owner is given a kernel thread and that priority until it unlocks.  A waiter looks every few
 * milliseconds who owns the mutex now, and lends what it itself has been lent: so a chain of owners
 * is raised link by link.
 *
 * A debt is what one thread has been lent, mutex by mutex.  As with glibc's mutexes and the kernel's,
 * pthread_getschedparam and pthread_setschedparam are about the thread's own priority, and
 * sched_getparam(2) shows a ceiling, but nothing inherited.  So it is with what new threads get.
 */
#ifndef UPCALL_POSIX_PRIORITY_H
#define UPCALL_POSIX_PRIORITY_H

#include "bind.h"
#include "mutex.h"

enum { PRIORITY_LOOK_MS = 5 };

#pragma GCC visibility push(hidden)
/* Has any thread been given a real-time policy? */
extern bool priority_in_use;
/* Before the caller locks m: it gets this priority.  0, EINVAL (its own is higher) or EAGAIN. */
int priority_protect(const struct mutex *m, int ceiling);
/* The caller waits for m: its owner gets the caller's priority. */
void priority_inherit(struct mutex *m);
/* The caller, bound by now, gets what it is lent. */
void priority_enforce(struct thread *me);
/* The caller, bound, makes a child, which would inherit what it inherits now itself; until it has made it. */
void priority_lay_down(struct thread *me, bool is_laid_down);
/* The caller has given m up, or did not get it. */
void priority_return(struct thread *me, const struct mutex *m);
/* Inside the runtime, by me, after PF_ENDS is set: the mutexes that it holds are held for good. */
void priority_thread_end(struct thread *me);
/*
 * The thread's own policy is to be this from now on: true if that is all there is to do.  As on glibc, what
 * sched_setscheduler sets beside a ceiling (not with_ceiling) is in force at once, and undone when the mutex is free.
 */
bool priority_set_own(struct thread *t, bool with_ceiling, int policy, int priority);
/* The kernel's sched_setattr for t, which is BOUND: what that is lent, if it is, stays in force.  0 or -errno. */
long priority_set_attributes(struct thread *t, const void *attr, long flags);
/* The thread's own, or its ceiling, where another one may be in force: false if it has no debt. */
bool priority_get_own(struct thread *t, bool with_ceiling, int *ret_policy, int *ret_priority);
/*
 * The same, or what is in force, of the caller, which is BOUND: what threads that it makes inherit.  No priority where it
 * has the policy that all have.
 */
void priority_get_heritage(struct thread *me, int *ret_policy, int *ret_priority);
/* The thread of this handle, or of this number (0: the caller), if it has a debt. */
struct thread *priority_debtor(pthread_t handle);
struct thread *priority_debtor_of(int tid);
/* Somebody is given this policy. */
void priority_note(int policy);
/* The only thread of a child has nothing that was lent to others, or by others. */
void priority_fork_child(struct thread *me);
#pragma GCC visibility pop

static inline bool priority_is_lent(const struct thread *t)
{
	return unlikely(word_get(t, PW_DEBT) != 0);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* Inside posix/: what happens at the turning points of a process and of a thread. */
#ifndef UPCALL_POSIX_H
#define UPCALL_POSIX_H

#include "../sched/sched.h"

#ifdef __EXCEPTIONS
/* Declared by the system's header only without -fexceptions. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buf);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf);
void __pthread_unwind_next(__pthread_unwind_buf_t *buf) __attribute__((noreturn));
#endif

#pragma GCC visibility push(hidden)
/* cancel.c: where libc keeps a thread's cancellation flags, in its block; 0: unknown. */
extern uint32_t posix_cancel_offset;
/* The first pthread_create: everything starts.  0, or -errno: the program goes on 1:1. */
int posix_start_threads(void);
/* True when every thread is to be a kernel thread (--bound, or a libc we do not understand). */
bool posix_is_bound(void);
/*
 * Before the first thread is made: has its maker a real-time policy, or is it the process and a kernel thread of libc's
 * own?  Then all of them are bound.
 */
bool posix_begins_bound(void);
/* The program imports ptrace: to the kernel, the tracer of a child is the kernel thread that forked it. */
extern bool posix_traces;
/* The child of a fork: one thread, nothing started. */
void posix_fork_child(void);
/*
 * unwind.c: looks for the unwinder, if it is loaded, before it is wanted: a forked child may find the loader amid what
 * another thread of its parent's had it do.
 */
void unwind_prepare(void);
void setid_fork_child(void);
/* On main, when threads start: its end by cancellation is to be noticed. */
void posix_watch_main(void);
/* signal.c: a thread is made, is about to end. */
void signal_thread_new(struct thread *parent, struct thread *t) __attribute__((weak));
void signal_new_mask(struct thread *t, const pthread_attr_t *attr);	/* what the attributes say */
void signal_thread_end(struct thread *me) __attribute__((weak));
/* thread.c: the system call exit, of which the kernel's part is left to the caller if this returns. */
void posix_thread_leave(int code);
void posix_leave_fork_child(void);
/* attr.c: under --scope, does this attribute object ask for a kernel thread? */
void attr_configure(void);
bool attr_binds(const pthread_attr_t *attr);
/* ptimer.c: the thread that is being made is to be a kernel thread. */
bool ptimer_makes_helper(void);
/* The clock and the thread that a timer names, as the kernel knows them: 0 or -EAGAIN. */
int ptimer_name(clockid_t *clock, struct sigevent *event);
/* The thread's number by whose CPU time this clock, as the program names it, goes, or 0: to be noted of the kernel's timer. */
int ptimer_clock_owner(clockid_t clock);
void ptimer_note(int number, int owner);
/* What the kernel's timer is to be set to: `value`, or *copy. */
const struct itimerspec *ptimer_value(int number, int flags, const struct itimerspec *value, struct itimerspec *copy);
void ptimer_fork_child(void);
void signal_start(void) __attribute__((weak));
/* exec.c, at load: --no-children takes us out of the environment. */
void env_start(void) __attribute__((weak));
#pragma GCC visibility pop

/* The clock of a thread's CPU time holds that one's number, in the kernel's own encoding. */
enum { CLOCK_OF_TID = 6 };

static inline bool clock_is_of_tid(clockid_t clock)
{
	return clock < 0 && (clock & 7) == CLOCK_OF_TID;
}

static inline int clock_tid(clockid_t clock)
{
	return (int)~(clock >> 3);
}

static inline clockid_t clock_of_tid(int tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | CLOCK_OF_TID);
}

/* pthread_testcancel: nothing to be asked of libc while no flag is set. */
static inline void posix_testcancel(void)
{
	const struct thread *me = self_ptr;

	if (unlikely(!me || !posix_cancel_offset ||
		     load_relaxed((const struct au32 *)((const char *)me->tls + posix_cancel_offset))))
		pthread_testcancel();	/* relaxed: libc looks again, in order */
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * What belongs to a kernel thread and cannot be shared or faked (a CPU mask, a priority, a nice
 * value, capabilities, namespaces) makes the thread BOUND: it keeps a kernel thread for itself.
 *
 * Only a thread can bind itself.  What is asked of another thread is a wish, which it grants itself
 * when it next leaves the runtime or is interrupted; until then questions are answered from it.
 */
#ifndef UPCALL_POSIX_BIND_H
#define UPCALL_POSIX_BIND_H

#include <sched.h>

#include "signal.h"

/* WISH_LOAN: whatever priority it is lent when it comes to it (priority.h). */
enum { WISH_AFFINITY = 1, WISH_SCHED = 2, WISH_NICE = 4, WISH_LOAN = 8 };

struct wish {
	struct au32 grants;	/* how often it has been granted, or has come to nothing */
	struct wish *next;	/* of those that are free */
	unsigned what;
	cpu_set_t affinity;
	int policy;
	struct sched_param param;
	int nice;
};

/* In no header of libc's. */
extern int capset(void *header, const void *data);
extern int capget(void *header, void *data);

#pragma GCC visibility push(hidden)
/* The calling thread is bound from here on, if it is one of ours: 0 or an error number. */
int bind_self(void);
/* After the `tries`th time that it could not be: for a moment, in which others may end.  For long: it is said. */
void bind_await_kernel_thread(unsigned tries);
/* All threads are bound, and those to come are libc's own. */
void bind_all_threads(void);
/*
 * The calling thread's kernel thread differs from the others in what those that it makes inherit: credentials, namespaces,
 * a domain.  So the threads that this one makes, and theirs, are libc's own, made by that kernel thread.
 * How: PF_APART, PF_OWN_FILES.
 */
void bind_apart(uintptr_t how);
uintptr_t bind_how_apart(void);
void bind_fork_child(void);
/*
 * prctl or seccomp is about to give the process a filter, or the thread: all threads are bound from now on, and the
 * runtime confines itself (sched_is_confined).  True: it was not so before, and is not to stay so if the call fails.
 */
bool bind_before_filter(void);
void bind_after_filter(bool was_free, bool is_in_force);
bool bind_binds_all(void);
/*
 * Signals that are queued come to handlers in the order in which another process sends them only if one kernel thread
 * takes them all.  Where just one thread admits some of these, and others block them, it is bound.  Where more than
 * one admits them there is no order, with kernel threads neither.
 */
void bind_only_admitter(uint64_t signals);
/* Tells t to do w to itself.  0, EAGAIN, or ESRCH: it has ended. */
int bind_wish(struct thread *t, const struct wish *w);
/* Inside the runtime, by t itself, after PF_ENDS is set: what it has not done will not be. */
void bind_thread_end(struct thread *t);
/* What t was told to do and has not done, or NULL. */
struct wish *bind_wish_of(const struct thread *t);
/* On itself, outside the runtime: does what it was wished, or is to do as all are, or as it only blocks. */
void bind_as_wished(struct thread *me);
/* t is given a kernel thread of its own, which this waits for: its tid, or 0. */
int bind_other(struct thread *t);
/*
 * The kernel is about to tie something to the thread of this number (0: the caller), which gets a kernel thread of its
 * own for that: the kernel's number, or -1.  Before the first thread: main will keep the one that it has.
 */
int bind_for_kernel(int tid);
/* Before the first thread, by main: it will. */
void bind_main_later(void);
/* Threads have started: main keeps its kernel thread, if something is tied to that. */
void bind_main(bool in_any_case);
/* What gettid says in the thread that the kernel calls so. */
int bind_number_of(int kernel_tid);
/* Threads start: what all of them have so far. */
void bind_start(void);
/* A NEW thread of a bound one gets its CPU mask, and unless the attributes say otherwise its policy
 * and nice value. */
void bind_inherit(struct thread *creator, struct thread *t);
/* Do the attributes ask for a policy that the caller may not give, or for no CPU?  0 or an error number. */
int bind_check_attr(const pthread_attr_t *attr);
/* Is it all that there is to the policy, beside a priority? */
bool bind_is_lendable(int policy);
/* May the caller have this?  0, EINVAL or EPERM. */
int bind_check_sched(int policy, int priority);
/* May the caller make a thread less nice than it is, to this? */
bool bind_may_be_nice(int nice);
/* What the attributes ask for, before t is READY. */
void bind_new(struct thread *t, const pthread_attr_t *attr);
/* As libc's own thread is made, with the attributes: does it bring a real-time policy? */
void bind_note(const pthread_attr_t *attr);
/*
 * What t, which is NEW, is wished, if that gives it a higher priority than the caller's; or NULL.  Then
 * the caller, once t is READY, goes on only when t has it: as if t had pushed it aside.
 */
struct wish *bind_urgent(struct thread *t, uint32_t *ret_grants);
void bind_await(struct wish *w, uint32_t grants);
/* The policy of threads that asked for none: the program's when they started. */
extern int bind_base_policy;
/* 0: the calling thread or its kernel thread; else a kernel thread's tid.  ESRCH as -1. */
struct thread *bind_find(int tid);
/* What the kernel calls t: 0 for the caller; for who has no kernel thread of its own one that is as the process is, 0 or
 * another; none that exists (ESRCH) for who has ended. */
int bind_kernel_name(struct thread *t);
/* The bytes written, or -errno. */
int bind_get_affinity(struct thread *t, size_t bytes, cpu_set_t *set);
/* Is it the program's own?  That is what a thread has that was told nothing. */
bool bind_is_own(const cpu_set_t *set);
/* Leaves out what the kernel would leave out: is any left? */
bool bind_limit(cpu_set_t *set);
#pragma GCC visibility pop

#endif

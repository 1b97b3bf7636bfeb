/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program asks how its own threads fare: the numbers of `upcall stats` and `upcall ps`, from inside.
 *
 * The functions are in libupcall-pthread.so, which `upcall run` preloads, and in libupcall.so.  A
 * pthreads program is not linked with either: the names are weak, so it asks first whether they are
 * there.
 *
 *	struct upcall_stats s = { .size = sizeof(s) };
 *	if (upcall_stats && upcall_stats(&s) == 0)
 *		printf("%llu switches\n", (unsigned long long)s.switches);
 *
 * None of the calls waits for anything, and all may be made at any time, in signal handlers and policies too.
 */
#ifndef UPCALL_STATS_H
#define UPCALL_STATS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"	/* a function may have the name of a structure */
#endif

#pragma GCC visibility push(default)

/* What each means: upcall-stats(1).  All zero but the size until threads have started. */
struct upcall_stats {
	size_t size;			/* in: sizeof(struct upcall_stats); of more than is known, the rest is zeroed */
	unsigned vprocs, threads_live;
	uint64_t threads, switches, parks, steals, preemptions, polls, wakeups, idle_ns;
	uint64_t upcalls_added, upcalls_blocked, upcalls_unblocked, upcalls_preempted;
	uint64_t overlap_max_ns;
	unsigned activations, activations_peak, activations_spare, activations_blocked;
	char source[16];		/* who tells of blocked kernel threads */
	uint64_t overlaps, overlaps_late;
};

enum upcall_thread_state {
	UPCALL_STATE_NEW,
	UPCALL_STATE_READY,		/* waits for a vproc */
	UPCALL_STATE_RUNNING,
	UPCALL_STATE_KERNEL,		/* its kernel thread blocked, or lost its vproc */
	UPCALL_STATE_PARKED,		/* waits, see `wait` */
	UPCALL_STATE_BOUND,		/* has a kernel thread of its own; it may wait too */
	UPCALL_STATE_DONE,
};

enum upcall_wait {
	UPCALL_WAIT_NOTHING, UPCALL_WAIT_MUTEX, UPCALL_WAIT_COND, UPCALL_WAIT_RWLOCK, UPCALL_WAIT_BARRIER,
	UPCALL_WAIT_SEM, UPCALL_WAIT_ONCE, UPCALL_WAIT_JOIN, UPCALL_WAIT_FUTEX, UPCALL_WAIT_IO,
	UPCALL_WAIT_SLEEP, UPCALL_WAIT_PARK, UPCALL_WAIT_EVENT, UPCALL_WAIT_LATCH,
	UPCALL_WAIT_SEND, UPCALL_WAIT_RECEIVE,	/* on a channel */
	UPCALL_WAIT_SIGNAL,			/* sigwait and its like */
};

struct upcall_thread_info {
	size_t size;			/* in: sizeof(struct upcall_thread_info) */
	uint32_t id;			/* as `upcall ps` shows it; 1 is main */
	int tid;			/* what gettid() says there */
	enum upcall_thread_state state;
	enum upcall_wait wait;
	const void *object;		/* the mutex, condition, ... that it waits for, or NULL */
	uint64_t deadline_ns;		/* of the wait, on CLOCK_MONOTONIC; UINT64_MAX: none */
	uint64_t cpu_ns;		/* CPU time, without what it used since the scheduler last looked */
	int vproc;			/* where it runs, or ran last; -1: nowhere, or on a kernel thread of its own */
	char name[16];
	const void *stack;		/* the lowest address; NULL for main's, which the kernel lets grow */
	size_t stack_bytes;
};

/* 0, or -EINVAL: the size is none that there ever was. */
int upcall_stats(struct upcall_stats *stats) __attribute__((weak));
/* Of a thread that has not been joined; 0: the caller.  0, -EINVAL, or -ESRCH: it is none of ours. */
int upcall_thread_info(pthread_t thread, struct upcall_thread_info *info) __attribute__((weak));
/*
 * The same by a handle of <upcall/upcall.h>, an upcall_t, of a thread of any kind; NULL: the caller.  When that has ended: -ESRCH;
 * or, where its memory serves another one by then, that one, which has another `id`.
 */
struct upcall_thread;
int upcall_info(struct upcall_thread *thread, struct upcall_thread_info *info) __attribute__((weak));
/* The handle of the thread that has this id, or NULL: it has ended.  Looks through all of them. */
struct upcall_thread *upcall_find(uint32_t id) __attribute__((weak));

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif

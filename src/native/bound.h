// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads as kernel threads that pthread_create made: under the tools that follow a thread by its
 * kernel thread, valgrind and the sanitizers.
 *
 * A tool that wraps pthread_create keeps its own account of each thread in that thread's TLS block and
 * takes its stack from libc.  Switching stacks below such a tool can be announced (fibers), but only
 * where threads share one TLS block, and ours do not.  So nothing of sched starts: all waits are those of
 * bound threads, in the parking lot.  What the tool cannot see is what our objects order, since
 * it sees no instruction of this library: ThreadSanitizer is told, at each release and acquire.
 */
#ifndef UPCALL_NATIVE_BOUND_H
#define UPCALL_NATIVE_BOUND_H

#include "native.h"

#pragma GCC visibility push(hidden)
extern bool native_is_bound;
int bound_create(upcall_t *ret_thread, const struct upcall_attr *a, void *(*start)(void *), void *arg);
int bound_detach(struct thread *t);
void bound_reap(struct thread *t);	/* it has ended, and the caller has claimed it */
void bound_end(struct thread *me);
#pragma GCC visibility pop

/* ThreadSanitizer's, where it is in the process. */
extern void __tsan_acquire(void *object) __attribute__((weak));
extern void __tsan_release(void *object) __attribute__((weak));

static inline void told_acquire(const void *object)
{
	if (unlikely(__tsan_acquire != NULL))
		__tsan_acquire((void *)object);
}

/* To whoever acquires the object from now on, what the caller did before. */
static inline void told_release(const void *object)
{
	if (unlikely(__tsan_release != NULL))
		__tsan_release((void *)object);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * New processes and new programs get from us what the program would have given them: its own CPU
 * mask and its own signal mask.
 *
 * A forked child is one kernel thread with all memory: it sets itself right (posix_fork_child).  A
 * child that shares our memory, or a new program image, cannot: what it inherits is put right
 * before, on the kernel thread that makes it, which the thread must not leave meanwhile: it departs.
 * A handler that comes then may leave by a jump, and may wait: while it runs there is no departure.
 */
#ifndef UPCALL_POSIX_PROCESS_H
#define UPCALL_POSIX_PROCESS_H

#include "signal.h"

struct departure {
	struct thread *me;	/* NULL: nothing to do */
	bool is_laid_down;	/* what it is lent (priority.h) */
};

#pragma GCC visibility push(hidden)
/* From here on the kernel thread is as the program would have it; preemption is off. */
struct departure depart(void);
/* The same to a new program, which inherits what is pending. */
struct departure depart_by_exec(void);
/* It did not leave after all, or it was a child: back again. */
void depart_undo(struct departure *d);
/* One of these and its undoing, also when a cancellation unwinds. */
#define DEPARTURE(d, begin) __attribute__((cleanup(depart_undo), unused)) struct departure d = begin()
/* Is system call nr one that makes a process?  Then it is made; *ret is what the kernel says. */
bool fork_by_number(long nr, const long *a, long *ret);
/* The pair for vfork.S. */
void vfork_before(void) __attribute__((used));
long vfork_after(long result) __attribute__((used));
#pragma GCC visibility pop

#endif

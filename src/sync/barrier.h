// SPDX-License-Identifier: BSD-2-Clause
/*
 * A barrier: the last of `count` threads to arrive lets the others go.
 *
 * All fields are guarded by the bucket's lock.  A waiter that is taken out of the queue touches the
 * barrier no more.  One that went to run a signal handler, and for whom the round ended meanwhile,
 * is counted in `away` until it has come back and seen that; barrier_destroy waits for those.  The
 * same holds for one whose time was up.
 */
#ifndef UPCALL_BARRIER_H
#define UPCALL_BARRIER_H

#include "lot.h"

struct barrier {
	uint32_t arrived;
	uint32_t round;
	uint32_t count;		/* set at init */
	int shared;		/* libc's, see posix/barrier.c */
	struct au32 away;
};

#pragma GCC visibility push(hidden)
/* True for the one thread that completed the round. */
bool barrier_wait(struct barrier *bar);
/* 1 for that one, 0, or -ETIMEDOUT: then it has not arrived. */
int barrier_wait_until(struct barrier *bar, uint64_t deadline_ns);
void barrier_destroy(struct barrier *bar);
#pragma GCC visibility pop

#endif

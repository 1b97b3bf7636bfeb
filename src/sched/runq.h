// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ready queue of a vproc: a LIFO slot for the thread just woken, a bounded ring (FIFO, the
 * owner pushes at the tail, owner and thieves take at the head), an overflow list, and an inbox
 * for everybody who does not own the vproc.
 *
 *   head <= tail, tail - head <= RUNQ_SIZE; both only grow (mod 2^32)
 * Order:
 *   runq.publish  owner: fill slot, release tail -> thief: acquire tail, read slot
 *   runq.claim    thief: copy slot, CAS head     -> owner: acquire head, reuse slot
 *   runq.inbox    anybody: CAS the list's head (a full barrier) -> owner or thief: xchg the head
 */
#ifndef UPCALL_RUNQ_H
#define UPCALL_RUNQ_H

#include "../base/lock.h"
#include "../thread/thread.h"

enum { RUNQ_SIZE = 256 };

struct runq {
	APTR(struct thread) lifo;
	struct au32 head, tail;
	struct au32 overflow_count;
	APTR(struct thread) inbox;
	APTR(struct thread) ring[RUNQ_SIZE];
	struct lock overflow_lock;
	struct thread *overflow_first, *overflow_last;
};

#pragma GCC visibility push(hidden)
/* Owner: */
void runq_push(struct runq *q, struct thread *t);
void runq_push_lifo(struct runq *q, struct thread *t);
struct thread *runq_pop(struct runq *q);
struct thread *runq_pop_lifo(struct runq *q);
/* Moves the inbox into the queue, oldest first; true if there was any. */
bool runq_take_inbox(struct runq *q);
/* Anybody: */
void runq_post(struct runq *q, struct thread *t);
bool runq_is_empty(const struct runq *q);
uint32_t runq_length(const struct runq *q);
/* Takes up to half of victim's threads: returns one, puts the rest into `own`. */
struct thread *runq_steal(struct runq *own, struct runq *victim);
#pragma GCC visibility pop

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ready queue of a vproc.
 *
 *   lifo      the thread just woken: it goes first, its data is warm
 *   hot       threads that were woken: they waited for something, and mostly run shortly; they stay
 *             hot, when others have their turn, until they have used up a slice since then
 *   parents   those whose child runs first: before hot and cold ones, but for a turn now and then
 *   cold      new threads, unless there are some of the others: those that used up a slice (hogs), or yielded
 *   overflow  what the cold ring has no room for
 *   inbox     what somebody who does not own the vproc made ready; it becomes hot, or goes first
 *
 * Of those that compute one in four changes places with the next, so that nobody has always the same one before it.
 *
 * Hot goes before cold, so that a thread back from I/O does not wait behind computing ones; but
 * every so often (cold_ticks) the cold ring has a turn.  The rings are bounded FIFOs: the owner
 * pushes at the tail, owner and thieves take at the head.
 *
 * The queue of a lone vproc has no thieves (`has_thieves`): its owner needs no atomic
 * read-modify-write, nor a barrier after a push.
 *
 *   head <= tail, tail - head <= RING_SIZE; both only grow (mod 2^32)
 * Order:
 *   runq.publish  owner: fill slot, release tail -> thief: acquire tail, read slot
 *   runq.claim    thief: copy slot, CAS head     -> owner: acquire head, reuse slot
 *   runq.inbox    anybody: CAS the list's head (a full barrier) -> owner or thief: xchg the head
 */
#ifndef UPCALL_RUNQ_H
#define UPCALL_RUNQ_H

#include "../base/lock.h"
#include "../thread/thread.h"
#include "parents.h"

#ifdef UPCALL_INJECT
enum { RING_SIZE = 64 };	/* few threads overflow it */
#else
enum { RING_SIZE = 1024 };
#endif
enum { PARENT_RUN = 64 };

struct ring {
	struct au32 head, tail;
	APTR(struct thread) slot[RING_SIZE];
};

struct runq {
	struct au32 has_thieves;	/* set by the owner, once and for all */
	APTR(struct thread) lifo;
	APTR(struct thread) inbox;
	struct au32 overflow_count;
	/* Owner only: */
	bool has_hogs;			/* perhaps, among the cold ones */
	bool has_yielder;		/* perhaps, among those */
	bool is_cold_turn;		/* the cold ring goes first once */
	bool has_run_hot;		/* since a cold one was taken */
	uint32_t parent_run;		/* parents taken in a row */
	uint32_t random;		/* which hogs change places */
	uint32_t lifo_run;		/* threads taken in a row from the LIFO slot */
	uint64_t cold_tsc;		/* when it is the cold ring's turn; 0: not known yet */
	uint64_t lifo_tsc;		/* since when the LIFO slot goes first, as far as looks have seen */
	struct ring hot, cold;
	struct parents parents;
	struct lock overflow_lock;
	struct thread *overflow_first, *overflow_last;
};

#pragma GCC visibility push(hidden)
/* Owner: */
void runq_push(struct runq *q, struct thread *t);		/* cold */
void runq_push_hog(struct runq *q, struct thread *t);
void runq_push_yielder(struct runq *q, struct thread *t);
void runq_push_new(struct runq *q, struct thread *t);
void runq_push_hot(struct runq *q, struct thread *t);
void runq_push_lifo(struct runq *q, struct thread *t);		/* with thieves: a full barrier */
/* Where the inbox is empty: the next. */
struct thread *runq_pop(struct runq *q);
/* It is now `tsc`: the cold ring has its turn every cold_ticks, and all but the LIFO slot every lifo_ticks. */
void runq_look(struct runq *q, uint64_t tsc, uint64_t cold_ticks, uint64_t lifo_ticks);
void runq_push_parent(struct runq *q, struct thread *t);
/*
 * The next is t, if it is here and not in the overflow, however many such there were in a row; but not for longer than
 * lifo_ticks.
 */
COLD void runq_put_first(struct runq *q, struct thread *t);
/* Moves the inbox into the queue, oldest first; true if there was any. */
COLD bool runq_take_inbox(struct runq *q);
/* Anybody: */
struct thread *runq_take_lifo(struct runq *q);
void runq_post(struct runq *q, struct thread *t);
bool runq_is_empty(const struct runq *q);
bool runq_has_hot(const struct runq *q);
bool runq_has_hot_before(const struct runq *q);	/* the same, but for the inbox */
/* Cold ones of which none has used up a slice, new ones mostly, or one that yielded.  A hint. */
bool runq_has_new(const struct runq *q);
/* So many hot threads that who comes behind them waits for long.  A hint. */
bool runq_has_many_hot(const struct runq *q);
/* So many hot threads that more would not fit, and overtake each other. */
bool runq_is_crowded(const struct runq *q);
uint32_t runq_length(const struct runq *q);
/*
 * Takes a hot thread, or up to half of victim's cold ones: returns one, puts the rest into `own`.  But for new ones
 * younger than `born`: their maker goes on first (sched_spawn); and the one in the LIFO slot.
 */
struct thread *runq_steal(struct runq *own, struct runq *victim, uint64_t born);
/* Threads that compute, and wait for their next slice: how many, about; and one of them, for any caller. */
uint32_t runq_count_hogs(const struct runq *q);
struct thread *runq_take_hog(struct runq *q);
#pragma GCC visibility pop

#endif

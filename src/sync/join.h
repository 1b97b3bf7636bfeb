// SPDX-License-Identifier: BSD-2-Clause
/*
 * The end of a thread, and who waits for it.
 *
 * A joiner claims the thread (LIFE_JOINING), so there is one at most, and waits on its life word, in a bucket
 * that the descriptor has for that: thousands that are joined by turns would fetch as many lines of the table.
 * The thread that ends goes straight to a parked joiner, on the way out of its stack, and is marked
 * LIFE_EXITED when it has left it for ever; then its memory is the joiner's to give back, or its
 * own if it was detached.
 */
#ifndef UPCALL_JOIN_H
#define UPCALL_JOIN_H

#include "lot.h"

static inline const void *join_key(const struct thread *t)
{
	return lot_key(&t->life, LOT_JOIN);
}

/*
 * A bare thread that has left its stack, and that nobody joins yet: nobody changes it any more, but who joins it, by
 * join_reap alone.
 */
static inline bool join_has_bare_ended(const struct thread *t)
{
	return load_acquire(&t->life) == LIFE_EXITED && t->is_standard;
}

#pragma GCC visibility push(hidden)
/* sched's hooks for the end of a thread: before the first one starts. */
void join_start(void);
/* Would they wait for each other, if t's wait for me were never cancelled? */
bool join_is_circular(struct thread *me, struct thread *t);
/* Takes the right to join: 0, ESRCH (joined already) or EINVAL (detached, or being joined). */
int join_claim(struct thread *t);
void join_unclaim(struct thread *t);
/* After the claim.  WAIT_WOKEN: it has ended; WAIT_TIMEOUT; WAIT_CANCEL. */
enum wait_result join_wait(struct thread *t, uint64_t until_ns);
/* Gives t's memory back; its joiner, when it has its result. */
void join_reap(struct thread *t);
/*
 * All of that: 0, or as join_claim.  Where *ret_why is not WAIT_WOKEN the claim is given up again; a handler that leaves it
 * for good finds WAIT_SIGNAL there, and has to.
 */
int join_whole(struct thread *t, uint64_t until_ns, void **ret_value, enum wait_result *ret_why);
/* 0, ESRCH or EINVAL. */
int join_detach(struct thread *t);
#pragma GCC visibility pop

#endif

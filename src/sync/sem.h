// SPDX-License-Identifier: BSD-2-Clause
/*
 * A counting semaphore in one 64-bit word, as glibc keeps it: the value below, the number of
 * waiters above.
 *
 * A post that sees no waiters raises the value.  One that sees some takes the first out of the queue,
 * raises the value and lowers the count in one instruction, and wakes it; it tries again: whoever
 * comes first has it.  A waiter raises the count in the same instruction that sees value 0, and
 * lowers it itself if no post took it.  A post touches the word no more after it raised the value,
 * so the program may free a semaphore as soon as its last wait returned.
 */
#ifndef UPCALL_SEM_H
#define UPCALL_SEM_H

#include "deadline.h"
#include "lot.h"

#define SEM_ONE_WAITER (UINT64_C(1) << 32)
enum { SEM_MAX = INT32_MAX };

struct sem { struct au64 word; };

static inline bool sem_try(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	while ((uint32_t)seen)
		if (cas_acquire(&s->word, &seen, seen - 1))
			return true;
	return false;
}

#pragma GCC visibility push(hidden)
/*
 * Outside the runtime, after sem_try failed.  WAIT_WOKEN: try again; WAIT_SIGNAL: handlers may have
 * run; WAIT_CANCEL; WAIT_TIMEOUT.
 */
enum wait_result sem_wait_once(struct sem *s, uint64_t deadline_ns);
/* A post where there may be waiters. */
bool sem_raise_waited(struct sem *s);
#pragma GCC visibility pop

/* Outside the runtime: a post.  False: the value is at its limit. */
static inline bool sem_raise(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	do {
		if (unlikely((uint32_t)seen >= SEM_MAX))
			return false;
		if (seen >= SEM_ONE_WAITER)
			return sem_raise_waited(s);
	} while (!cas_seq_cst(&s->word, &seen, seen + 1));
	return true;
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * A counting semaphore in one 64-bit word, as glibc keeps it: the value below, the number of
 * waiters above.
 *
 * A post raises the value first and then, if it saw waiters, wakes one, which tries again: whoever
 * comes first has it.  A waiter raises the count in the same instruction that sees value 0; whoever
 * takes it out of the queue lowers it.  A waker touches the word after its post only while somebody
 * is queued, so the program may free a semaphore as soon as its last wait returned.
 */
#ifndef UPCALL_SEM_H
#define UPCALL_SEM_H

#include "deadline.h"
#include "lot.h"

#define SEM_ONE_WAITER (UINT64_C(1) << 32)

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
void sem_wake(struct sem *s);
#pragma GCC visibility pop

#endif

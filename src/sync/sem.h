// SPDX-License-Identifier: BSD-2-Clause
/*
 * A counting semaphore, as glibc lays it out: a 64-bit word with the value below, and above it SEM_WAITED, which
 * says that somebody may wait.
 *
 * A post that does not see it raises the value.  One that sees it takes the first waiter out of the queue and
 * lets it pass: the value stays as it is, and neither of the two touches the word.  But a thread that posts what it
 * took itself, last of all, uses the semaphore as a lock, and a lock is not handed over (mutex.h): it raises the
 * value, and the waiter tries again; whoever comes first has it.  One that was woken in vain keeps its place in the
 * queue, and SEM_LOSSES times is enough: then it is let pass.
 *
 * The mark is set under the bucket's lock by who queues, and stays until a post finds nobody, under that lock
 * again: threads that wait for each other by turns leave it alone.  A post touches the semaphore no more after it
 * raised the value or let somebody pass, so the program may free it as soon as its last wait returned.
 */
#ifndef UPCALL_SEM_H
#define UPCALL_SEM_H

#include "deadline.h"
#include "lot.h"

#define SEM_WAITED (UINT64_C(1) << 32)
enum { SEM_MAX = INT32_MAX, SEM_LOSSES = 4 };

struct sem {
	struct au64 word;
	int shared;			/* libc's */
	struct au32 taker;		/* the id of the thread that took it last: a hint */
};

static inline bool sem_try(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	while ((uint32_t)seen) {
		if (cas_acquire(&s->word, &seen, seen - 1)) {
			struct thread *me = self_ptr;

			store_relaxed(&s->taker, me ? me->id : 0);
			return true;
		}
	}
	return false;
}

#pragma GCC visibility push(hidden)
/*
 * Outside the runtime, after sem_try failed.  WAIT_WOKEN: it has passed; WAIT_AGAIN: try again; WAIT_SIGNAL:
 * handlers may have run; WAIT_CANCEL; WAIT_TIMEOUT.  losses: so often was it to try again.
 */
enum wait_result sem_wait_once(struct sem *s, uint64_t deadline_ns, unsigned losses);
/* A post where there may be waiters. */
bool sem_raise_waited(struct sem *s);
#pragma GCC visibility pop

/* Outside the runtime: a post.  False: the value is at its limit. */
static inline bool sem_raise(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	do {
		if (seen & SEM_WAITED)
			return sem_raise_waited(s);
		if (unlikely((uint32_t)seen >= SEM_MAX))
			return false;
	} while (!cas_seq_cst(&s->word, &seen, seen + 1));
	return true;
}

#endif

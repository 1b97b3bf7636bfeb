// SPDX-License-Identifier: BSD-2-Clause
/*
 * A lock in one word: 0 free; else its lowest two bits say 1 held, 2 held and somebody may wait, and the others who
 * holds it (thread_mark).  Pthreads' have only the two, as glibc keeps them.
 *
 * Taking a free one and dropping one that nobody waits for are single atomic instructions, made by
 * the caller.  Dropping does not hand over: the word becomes 0 at once, and whoever comes first has
 * the lock, because a lock handed to a thread that is not running yet stays held for a whole switch
 * (a convoy).  A waiter that was woken in vain MUTEX_LOSSES times is starving: it is put at the head
 * of the queue and is handed the lock at the next chance.
 *
 * What keeps a waiter from being forgotten: whoever is queued made the word say 2 under the bucket's
 * lock, or saw it so; the drop that finds 2 wakes the first; and a woken thread, when it takes the
 * lock or queues again, leaves 2 behind if others are still queued.
 *
 * A waker never touches the word after it stored 0, unless a thread is queued on it, which keeps
 * the object alive: the program may free a mutex as soon as it could lock and unlock it.
 */
#ifndef UPCALL_MUTEX_H
#define UPCALL_MUTEX_H

#include "deadline.h"
#include "inherit.h"
#include "lot.h"

enum { MUTEX_FREE, MUTEX_HELD, MUTEX_WAITED };
enum { MUTEX_HELD_OR_WAITED = MUTEX_HELD | MUTEX_WAITED };
enum { MUTEX_LOSSES = 4 };

/* held, here and below: what the word is to say, MUTEX_HELD and perhaps by whom. */
static inline bool mutex_try(struct au32 *word, uint32_t held)
{
	uint32_t expected = MUTEX_FREE;

	return cas_acquire(word, &expected, held);
}

#pragma GCC visibility push(hidden)
/*
 * Waits for the lock; the caller has just failed to get it.  Outside the runtime.  0 or ETIMEDOUT.
 * holder: where who holds it is noted by its number, for a word that does not say so; NULL: it does.
 */
int mutex_lock_slow(struct au32 *word, uint32_t held, const int *holder, struct deadline until);
/*
 * The same where priorities count, of a lock that knows its owner, whom waiters lend theirs; and what who
 * got it does then.  Outside the runtime.
 */
int mutex_lock_lending(struct au32 *word, uint32_t held, const struct owner *owner, struct deadline until);
void mutex_name_owner(struct au32 *word, struct owner *owner);
/* Takes the lock, for a waiter that was moved to its queue and woken there.  Outside the runtime. */
void mutex_lock_moved(struct au32 *word, uint32_t held);
/* Under the bucket's lock: if it is held, the word says that somebody waits, and the caller may queue others. */
bool mutex_mark(struct au32 *word);
/* After a drop by t that found MUTEX_WAITED. */
void mutex_unlock_lending(struct au32 *word, struct thread *t);
/* After a drop that found MUTEX_WAITED; the first inside the runtime, the second outside. */
void mutex_wake(struct au32 *word);
void mutex_unlock_slow(struct au32 *word);
#pragma GCC visibility pop

static inline void mutex_drop(struct au32 *word)
{
	if (unlikely(xchg_seq_cst(word, MUTEX_FREE) & MUTEX_WAITED))
		mutex_unlock_slow(word);
}

#endif

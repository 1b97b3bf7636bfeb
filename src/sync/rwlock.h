// SPDX-License-Identifier: BSD-2-Clause
/*
 * A readers-writer lock: one word says who holds it and whether anybody is queued.
 *
 * The word: RW_WRITER, held for writing; RW_QUEUED, somebody is in the parking lot; RW_WRITER_FIRST,
 * a writer is queued and new readers wait behind it (only where the lock prefers writers); below
 * them the number of readers.  The flags change under the bucket's lock only; the hold by anybody's
 * CAS.  Whoever lets go last and sees RW_QUEUED wakes:
 *   readers  all that are queued, and the lock is theirs when they wake
 *   writer   the first; it tries again, unless it has lost RW_LOSSES times or writers are
 *            preferred: then the lock is its own when it wakes
 * Which of the two goes first is the lock's kind: readers, as glibc's default, or writers.
 */
#ifndef UPCALL_RWLOCK_H
#define UPCALL_RWLOCK_H

#include "deadline.h"
#include "lot.h"

#define RW_WRITER       UINT32_C(0x80000000)
#define RW_QUEUED       UINT32_C(0x40000000)
#define RW_WRITER_FIRST UINT32_C(0x20000000)
#define RW_READERS      UINT32_C(0x1fffffff)
enum { RW_LOSSES = 4 };

struct rwlock { struct au32 word; };

static inline bool rwlock_try_read(struct rwlock *l, uint32_t *ret_seen)
{
	uint32_t seen = load_relaxed(&l->word);		/* a guess: the CAS checks it */

	while (!(seen & (RW_WRITER | RW_WRITER_FIRST)) && (seen & RW_READERS) != RW_READERS)
		if (cas_acquire(&l->word, &seen, seen + 1))
			return true;
	*ret_seen = seen;
	return false;
}

static inline bool rwlock_try_write(struct rwlock *l)
{
	uint32_t seen = load_relaxed(&l->word);		/* a guess: the CAS checks it */

	while (!(seen & (RW_WRITER | RW_READERS)))
		if (cas_acquire(&l->word, &seen, seen | RW_WRITER))
			return true;
	return false;
}

#pragma GCC visibility push(hidden)
/* Outside the runtime, after a try failed.  0 or ETIMEDOUT; a read: EAGAIN, too many readers. */
int rwlock_read_slow(struct rwlock *l, struct deadline until, bool prefers_writers);
int rwlock_write_slow(struct rwlock *l, struct deadline until, bool prefers_writers);
void rwlock_wake(struct rwlock *l, bool prefers_writers);
#pragma GCC visibility pop

static inline void rwlock_drop(struct rwlock *l, bool prefers_writers)
{
	uint32_t before;

	/* Relaxed: the caller holds it one way or the other, and that does not change. */
	if (load_relaxed(&l->word) & RW_WRITER) {
		before = fetch_and(&l->word, ~RW_WRITER);
	} else {
		before = fetch_sub(&l->word, 1);
		if ((before & RW_READERS) != 1)
			return;
	}
	if (unlikely(before & RW_QUEUED))
		rwlock_wake(l, prefers_writers);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "mutex.h"

#include <errno.h>

#include "../arch/arch.h"

/*
 * About a microsecond in all: what parking and being woken costs.  Ever longer between looks, since
 * each look takes the word away from the holder's processor.
 */
enum { LONGEST_PAUSE = 16 };
enum { WATCH_PAUSES = 16 };	/* in which a spinner takes what has been dropped */
enum { PASSES_MAX = 16 };	/* so often is a waiter left asleep for one */
enum { MANY = 64 };		/* waiters of whom nothing may be in the cache any more */

/* wait_arg of a waiter: what the word is to say when it is the owner, and */
#define STARVING (UINT64_C(1) << 32)
#define OWNER (UINT64_C(1) << 33)
#define PASS (UINT64_C(1) << 40)	/* counts from here on */

static const int unknown;	/* who holds it */

/* What the word says of the same holder when somebody waits, and the other way round. */
static inline uint32_t marked(uint32_t held)
{
	return held ^ MUTEX_HELD_OR_WAITED;
}

static inline void pause_for(int n)
{
	for (int i = 0; i < n; i++)
		arch_pause();
}

static inline bool may_holder_run(uint32_t seen, const int *holder, unsigned *place)
{
	return holder ? sched_may_run(0, *(const volatile int *)holder, place) :
	       sched_may_run(seen & ~(uint32_t)MUTEX_HELD_OR_WAITED, 0, place);
}

/*
 * Plain loads while the holder may be about to drop it, on another processor: no longer when it has none.  Who was
 * woken leaves it marked: others may be queued behind it.
 */
static bool spin(struct au32 *word, uint32_t held, const int *holder)
{
	bool is_ours = false;
	unsigned place = 0;

	if (sched_vprocs() < 2 || !sched_spin_begin(word))
		return false;
	for (int pauses = 1; pauses <= LONGEST_PAUSE; pauses *= 2) {
		uint32_t seen = load_relaxed(word);		/* the CAS acquires */

		is_ours = seen == MUTEX_FREE && cas_acquire(word, &seen, held);
		if (is_ours || (seen != MUTEX_FREE && !may_holder_run(seen, holder, &place)))
			break;
		pause_for(pauses);
	}
	sched_spin_end(is_ours);
	return is_ours;
}

/* Under the bucket's lock: true if the lock is ours, else the word says that somebody waits. */
static bool take_or_mark(struct au32 *word, uint32_t held, struct bucket *b)
{
	uint32_t seen = load_relaxed(word);	/* a guess: the CAS checks it */

	for (;;) {
		if (seen & MUTEX_WAITED)
			return false;
		if (seen == MUTEX_FREE) {
			if (cas_acquire(word, &seen, lot_has_waiter(b, word) ? marked(held) : held))
				return true;
		} else if (cas_acquire(word, &seen, marked(seen))) {
			return false;
		}
	}
}

/*
 * The same with a loan.  Lent is to one whose drop finds the word marked, and gives the loan back: it may have got the
 * word unmarked, after another drop that took our mark for its own.
 */
static bool take_or_lend(struct thread *me, struct au32 *word, uint32_t held, const struct owner *owner,
			 struct bucket *b, int losses)
{
	do {
		if (take_or_mark(word, held, b))
			return true;
		if (!owner)
			return false;
		inherit_lend(me, word, owner);
		if (losses)		/* the owner found it unmarked */
			inherit_adopt(b, word, owner);
	} while (!(load_seq_cst(word) & MUTEX_WAITED));
	return false;
}

/* One round inside the runtime: WAIT_WOKEN with *ret_owned, or why the wait ended. */
static enum wait_result wait_once(struct thread *me, struct au32 *word, uint32_t held, const struct owner *owner,
				  uint64_t limit_ns, int losses, bool *ret_owned)
{
	bool starves = losses >= MUTEX_LOSSES;
	struct bucket *b = lot_begin(me, word, WAIT_MUTEX, LOT_SIGNALS | (losses ? LOT_LIFO : 0));
	enum wait_result why;

	if (take_or_lend(me, word, held, owner, b, losses)) {
		lot_abort(me, b);
		if (owner)
			inherit_end(me);
		*ret_owned = true;
		return WAIT_WOKEN;
	}
	me->wait_arg = held | (starves ? STARVING : 0);
	lot_queue(me, b);
	why = lot_sleep(me, limit_ns);
	if (owner)
		inherit_end(me);
	*ret_owned = why == WAIT_WOKEN && me->wait_arg == OWNER;
	return why;
}

/* losses: how often it was woken in vain. */
static inline int lock_slow_as(struct au32 *word, uint32_t held, const int *holder, const struct owner *owner,
			       struct deadline until, int losses)
{
	bool owned = spin(word, losses ? marked(held) : held, holder);

	while (!owned) {
		uint64_t limit_ns = deadline_ns(until);
		struct thread *me = rt_enter();
		enum wait_result why = wait_once(me, word, held, owner, limit_ns, losses, &owned);

		rt_leave(me);
		if (why == WAIT_TIMEOUT && deadline_was_reached(until))
			return ETIMEDOUT;
		if (why == WAIT_WOKEN && !owned) {
			owned = spin(word, marked(held), holder);
			losses++;
		}
	}
	return 0;
}

int mutex_lock_slow(struct au32 *word, uint32_t held, const int *holder, struct deadline until)
{
	return lock_slow_as(word, held, holder, NULL, until, 0);
}

void mutex_lock_moved(struct au32 *word, uint32_t held)
{
	if (!mutex_try(word, marked(held)))
		lock_slow_as(word, held, &unknown, NULL, (struct deadline){ 0 }, 1);
}

bool mutex_mark(struct au32 *word)
{
	uint32_t seen = load_relaxed(word);	/* a guess: the CAS checks it */

	while (seen != MUTEX_FREE && !(seen & MUTEX_WAITED))
		if (cas_seq_cst(word, &seen, marked(seen)))
			return true;
	return seen != MUTEX_FREE;
}

int mutex_lock_lending(struct au32 *word, uint32_t held, const struct owner *owner, struct deadline until)
{
	return lock_slow_as(word, held, &unknown, owner, until, 0);
}

void mutex_name_owner(struct au32 *word, struct owner *owner)
{
	store_seq_cst(owner, thread_self());		/* pairs: inherit.owner */
	if (!(load_seq_cst(word) & MUTEX_WAITED))
		return;
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(word);

	inherit_adopt(b, word, owner);
	lot_unlock(b);
	rt_leave(me);
}

/* Makes the first waiter, who starves, the owner.  False if somebody else took the lock meanwhile. */
static bool hand_over(struct au32 *word, struct thread *t)
{
	uint32_t seen = MUTEX_FREE;

	for (;;) {
		/* Marked whether or not there are more: the next drop finds out. */
		if (seen == MUTEX_FREE && cas_seq_cst(word, &seen, marked((uint32_t)t->wait_arg))) {
			t->wait_arg = OWNER;
			return true;
		}
		if ((seen & MUTEX_WAITED) || (seen != MUTEX_FREE && cas_seq_cst(word, &seen, marked(seen))))
			return false;
	}
}

/*
 * A spinner may be about to take it: whoever is woken would find it held.  Where one does while we look, it finds the word
 * marked when it drops it, and t, the first waiter, sleeps on; it has been passed over once more.
 */
static bool is_passed_over(struct au32 *word, struct thread *t)
{
	if (t->wait_arg == WAIT_MOVED || t->wait_arg >= PASSES_MAX * PASS || lot_has_ranks() || lot_minds_real_time ||
	    !sched_has_spinner(word))
		return false;
	for (int i = 0; i < WATCH_PAUSES; i++) {
		uint32_t seen = load_relaxed(word);

		if ((seen & MUTEX_WAITED) || (seen != MUTEX_FREE && cas_seq_cst(word, &seen, marked(seen)))) {
			t->wait_arg += PASS;
			return true;
		}
		arch_pause();
	}
	sched_deny_spinner(word);
	return false;
}

void mutex_wake(struct au32 *word)
{
	struct bucket *b = lot_lock(word);
	struct thread *t = lot_peek(b, word, 0);

	if (t && t->wait_kind == WAIT_MUTEX &&
	    ((t->wait_arg & STARVING) ? !hand_over(word, t) : is_passed_over(word, t)))
		t = NULL;
	else if (t)
		lot_take_this(b, t);
	if (t && b->waiters > MANY)
		lot_prefetch_next(b, t);
	lot_unlock(b);
	if (t)
		unpark(t);
}

/* By itself, so that a drop that wakes nobody saves no registers for it. */
__attribute__((noinline)) void mutex_unlock_slow(struct au32 *word)
{
	struct thread *me = rt_enter();

	mutex_wake(word);
	rt_leave(me);
}

void mutex_unlock_lending(struct au32 *word, struct thread *t)
{
	struct thread *me = rt_enter();
	bool is_lower = t && inherit_return(t, word);

	mutex_wake(word);
	if (is_lower)
		sched_reconsider();
	rt_leave(me);
}

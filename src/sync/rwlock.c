// SPDX-License-Identifier: BSD-2-Clause
#include "rwlock.h"

#include <errno.h>

#include "../arch/arch.h"

enum { SPINS = 40 };

/* wait_arg: what a waiter wants; a patient writer is not handed the lock. */
enum { READER = 1, WRITER = 2, STARVING = 4, OWNER = 8 };

static const void *key_of(struct rwlock *l)
{
	return lot_key(l, LOT_RWLOCK);
}

static bool spin_write(struct rwlock *l)
{
	for (int i = 0; i < SPINS && sched_vprocs() > 1; i++) {
		arch_pause();
		if (rwlock_try_write(l))
			return true;
	}
	return false;
}

static bool spin_read(struct rwlock *l)
{
	uint32_t seen;

	for (int i = 0; i < SPINS && sched_vprocs() > 1; i++) {
		arch_pause();
		if (rwlock_try_read(l, &seen))
			return true;
	}
	return false;
}

/* Under the bucket's lock: true if the hold is ours, else the flags say that we are about to queue. */
static bool take_or_mark(struct rwlock *l, bool is_writer, bool prefers_writers)
{
	uint32_t flags = RW_QUEUED | (is_writer && prefers_writers ? RW_WRITER_FIRST : 0);
	uint32_t hinders = is_writer ? RW_WRITER | RW_READERS : RW_WRITER | RW_WRITER_FIRST;
	uint32_t seen = load_relaxed(&l->word);		/* a guess: the CAS checks it */

	for (;;) {
		bool is_free = !(seen & hinders);
		uint32_t hold = is_writer ? RW_WRITER : 1;

		if (cas_seq_cst(&l->word, &seen, is_free ? seen + hold : seen | flags))
			return is_free;
	}
}

/* Under the bucket's lock, after somebody left the queue. */
static void update_flags(struct rwlock *l, struct bucket *b)
{
	uint32_t gone = 0;

	/* Most often not set: then a queue of readers is not searched for a writer. */
	if (load_relaxed(&l->word) & RW_WRITER_FIRST && !lot_peek(b, key_of(l), WRITER))
		gone |= RW_WRITER_FIRST;
	if (!lot_has_waiter(b, key_of(l)))
		gone |= RW_QUEUED;
	if (gone)
		fetch_and(&l->word, ~gone);
}

/*
 * A waiter gave up.  Readers may have been waiting for that writer alone, and a drop may have found
 * nobody but us to wake: so look whether somebody can have the lock now.
 */
static void gave_up(struct thread *me, struct rwlock *l, bool prefers_writers)
{
	struct bucket *b = lot_lock(key_of(l));

	update_flags(l, b);
	lot_unlock(b);
	rt_leave(me);
	rwlock_wake(l, prefers_writers);
}

static enum wait_result wait_once(struct rwlock *l, bool is_writer, uint64_t limit_ns,
				  bool prefers_writers, int losses, bool *ret_owned)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(l), WAIT_RWLOCK, LOT_SIGNALS | (losses ? LOT_LIFO : 0));
	enum wait_result why;

	*ret_owned = take_or_mark(l, is_writer, prefers_writers);
	if (*ret_owned) {
		lot_abort(me, b);
		rt_leave(me);
		return WAIT_WOKEN;
	}
	me->wait_arg = is_writer ? WRITER | (losses >= RW_LOSSES ? STARVING : 0) : READER;
	lot_queue(me, b);
	why = lot_sleep(me, limit_ns);
	*ret_owned = why == WAIT_WOKEN && (me->wait_arg & OWNER);
	if (why != WAIT_WOKEN)
		gave_up(me, l, prefers_writers);
	else
		rt_leave(me);
	return why;
}

static int wait_for(struct rwlock *l, bool is_writer, struct deadline until, bool prefers_writers)
{
	bool owned = false;
	int losses = 0;

	while (!owned) {
		uint64_t limit_ns = deadline_ns(until);
		enum wait_result why = wait_once(l, is_writer, limit_ns, prefers_writers, losses, &owned);

		if (why == WAIT_TIMEOUT && deadline_was_reached(until))
			return ETIMEDOUT;
		if (why == WAIT_WOKEN)
			losses++;
	}
	return 0;
}

int rwlock_read_slow(struct rwlock *l, struct deadline until, bool prefers_writers)
{
	if ((load_relaxed(&l->word) & RW_READERS) == RW_READERS)	/* a limit, not an order */
		return EAGAIN;
	return spin_read(l) ? 0 : wait_for(l, false, until, prefers_writers);
}

int rwlock_write_slow(struct rwlock *l, struct deadline until, bool prefers_writers)
{
	return spin_write(l) ? 0 : wait_for(l, true, until, prefers_writers);
}

static int count_readers(struct bucket *b, const void *key)
{
	int n = 0;

	for (struct list *at = b->queue.next; at != &b->queue; at = at->next) {
		struct thread *t = container_of(at, struct thread, wait_link);

		n += load_relaxed(&t->wait_key) == (uintptr_t)key && (t->wait_arg & READER);
	}
	return n;
}

/* All queued readers get the lock, unless a writer was faster or nobody reads. */
static void wake_readers(struct rwlock *l, struct bucket *b, struct list *woken)
{
	uint32_t seen = load_relaxed(&l->word), n = seen & RW_WRITER ? 0 : (uint32_t)count_readers(b, key_of(l));

	while (n && !(seen & RW_WRITER))
		if (cas_seq_cst(&l->word, &seen, seen + n)) {
			lot_take_some(b, key_of(l), READER, INT32_MAX, woken);
			break;
		}
	for (struct list *at = woken->next; at != woken; at = at->next)
		container_of(at, struct thread, wait_link)->wait_arg |= OWNER;
}

static void wake_writer(struct rwlock *l, struct bucket *b, bool hand_over, struct list *woken)
{
	struct thread *t = lot_peek(b, key_of(l), WRITER);

	if (!t)
		return;
	if (hand_over || (t->wait_arg & STARVING)) {
		if (!rwlock_try_write(l))
			return;				/* RW_QUEUED stays: its drop comes here */
		t->wait_arg |= OWNER;
	}
	lot_take_this(b, t);
	list_push_back(woken, &t->wait_link);
}

/* The object is touched only while somebody is queued on it: see mutex.h. */
void rwlock_wake(struct rwlock *l, bool prefers_writers)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(key_of(l));
	struct list woken;
	uint32_t seen;

	list_init(&woken);
	if (lot_has_waiter(b, key_of(l))) {
		seen = load_seq_cst(&l->word);
		if (prefers_writers && !(seen & (RW_WRITER | RW_READERS)))
			wake_writer(l, b, true, &woken);
		if (list_is_empty(&woken) && !(prefers_writers && lot_peek(b, key_of(l), WRITER)))
			wake_readers(l, b, &woken);
		if (list_is_empty(&woken) && !(seen & (RW_WRITER | RW_READERS)))
			wake_writer(l, b, false, &woken);
		update_flags(l, b);
	}
	lot_unlock(b);
	lot_unpark_all(&woken);
	rt_leave(me);
}

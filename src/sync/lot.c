// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parking lot: buckets of waiters, by address.
 *
 * A bucket's queue holds the waiters of every key that falls into it, oldest first (but LOT_LIFO).
 * The table is 2 MB of zeroes, touched where somebody waits.  A thread's wait fields belong to it
 * until it is queued, then to whoever holds the lock of the bucket that wait_key names; a requeue
 * changes wait_key under both locks, so whoever comes from the thread's side looks again after
 * locking.
 *
 * A thread that leaves the queue has wait_queued false from then on, and exactly the one who took
 * it out unparks it, after the lock is dropped.
 */
#include "lot.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../base/print.h"
#include "../sys/sys.h"
#include "inherit.h"

enum { LOT_BITS = 16, LOT_BUCKETS = 1 << LOT_BITS, LOT_ALIGN = 4096 };

/* Two buckets to a cache line; whole pages, so that a forked child can drop them at once. */
static struct lot_entry { struct bucket b; struct au32 turn; } lot[LOT_BUCKETS] __attribute__((aligned(LOT_ALIGN)));

_Static_assert(sizeof(struct lot_entry) == 32, "two to a cache line");

bool lot_observed, lot_minds_real_time;
uint32_t lot_fork_count;

/* Those that objects have themselves. */
static struct bucket *own_bucket(uint64_t key)
{
	uint64_t at = key & ~LOT_TAG_MASK;

	if (key >> LOT_TAG_SHIFT == LOT_OWN)
		return (struct bucket *)((at & ~(uint64_t)(LOT_OWN_LINE - 1)) + LOT_OWN_BUCKET);
	return (struct bucket *)container_of((struct au32 *)at, struct thread, life)->joiners;
}

static struct bucket *bucket_of(uint64_t key)
{
	if (unlikely((int64_t)key < 0))		/* LOT_OWN or more */
		return own_bucket(key);
	return &lot[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOT_BITS)].b;
}

struct bucket *lot_bucket(const void *word)
{
	return bucket_of((uintptr_t)word);
}

static struct au32 *turn_of(struct bucket *b)
{
	return &container_of(b, struct lot_entry, b)->turn;
}

uint32_t lot_turn(struct bucket *b)
{
	return load_acquire(turn_of(b));	/* pairs: futex.turn */
}

void lot_end_turn(struct bucket *b)
{
	store_release(turn_of(b), load_relaxed(turn_of(b)) + 1);	/* under the lock; pairs: futex.turn */
}

struct bucket *lot_lock(const void *key)
{
	struct bucket *b = bucket_of((uintptr_t)key);

	lock_take(&b->lock);
	return b;
}

void lot_prefetch_waiter(const void *key)
{
	const struct list *first = *(struct list *volatile *)&bucket_of((uintptr_t)key)->queue.next;

	if (first)		/* the bucket itself, at worst */
		thread_prefetch(container_of(first, struct thread, wait_link));
}

void lot_prefetch_next(const struct bucket *b, const struct thread *t)
{
	thread_prefetch_short(t);
	thread_prefetch_stack(t);
	__builtin_prefetch(&t->joiners, 1);
	thread_prefetch(container_of(b->queue.next, struct thread, wait_link));
}

/*
 * A walk along thousands of waiters would wait for a line of each.  They often queued in the order in which they
 * were made, from memory in a row: so where one further on lies is a guess worth a try.
 */
static inline void prefetch_further(const struct list *at)
{
	enum { AHEAD = 6 };
	uintptr_t next = (uintptr_t)at->next;

	__builtin_prefetch((const void *)(next + AHEAD * (next - (uintptr_t)at)), 1);
}

void lot_unlock(struct bucket *b)
{
	lock_drop(&b->lock);
}

struct bucket *lot_begin(struct thread *me, const void *key, enum wait_kind kind, int flags)
{
	me->wait_kind = (uint8_t)kind;
	me->wait_can_interrupt = flags & LOT_INTERRUPTIBLE ? PEND_SIGNAL | PEND_CANCEL | me->wait_takes
			       : flags & LOT_SIGNALS ? PEND_SIGNAL : 0;
	me->wait_is_lifo = flags & LOT_LIFO;
	me->wait_queued = false;
	me->wait_arg = 0;
	if (unlikely(lot_minds_real_time) && me->kind == THREAD_BOUND && !load_relaxed(&sched_is_confined))
		me->real_time = (int8_t)sys_real_time_priority();
	store_relaxed(&me->wait_seq, load_relaxed(&me->wait_seq) + 1);	/* only we write it */
	store_release(&me->wait_key, (uintptr_t)key);
	struct bucket *b = lot_lock(key);

	arch_fence_after_rmw();						/* pairs: lot.interrupt */
	return b;
}

void lot_abort(struct thread *me, struct bucket *b)
{
	store_release(&me->wait_key, 0);
	me->wait_kind = WAIT_NONE;
	lot_unlock(b);
}

/* Why a thread with these bits pending should not sleep, or WAIT_WOKEN. */
static enum wait_result interruption(struct thread *me, uint32_t pending)
{
	pending &= me->wait_can_interrupt;
	return pending & PEND_CANCEL ? WAIT_CANCEL : pending & (PEND_SIGNAL | PEND_TAKES) ? WAIT_SIGNAL : WAIT_WOKEN;
}

void lot_queue(struct thread *me, struct bucket *b)
{
	/* pairs: lot.interrupt */
	uint32_t pending = load_seq_cst(&me->pending);

	if (unlikely(pending & me->wait_can_interrupt)) {
		me->wait_result = (uint8_t)interruption(me, pending);
		lot_unlock(b);		/* not queued: lot_sleep returns at once */
		return;
	}
	if (unlikely(!b->queue.next))
		list_init(&b->queue);
	if (unlikely(me->wait_is_lifo))
		list_push_front(&b->queue, &me->wait_link);
	else
		list_push_back(&b->queue, &me->wait_link);
	b->waiters++;
	me->wait_queued = true;
	me->wait_since_ns = unlikely(lot_observed) ? now_ns() : 0;
	if (likely(me->kind == THREAD_USER)) {
		me->wait_holds_bucket = true;
		me->wait_lock = &b->lock;
	} else {
		park_bound_begin(me);
		lot_unlock(b);
	}
}

void lot_then(struct thread *me, void (*fn)(void *), void *arg)
{
	me->parked_arg = arg;
	me->parked_fn = fn;
}

static void unqueue(struct bucket *b, struct thread *t, enum wait_result why)
{
	list_remove(&t->wait_link);
	b->waiters--;
	t->wait_queued = false;
	t->wait_result = (uint8_t)why;
}

/* The locked bucket that t waits in, or NULL when it waits nowhere. */
static struct bucket *lock_bucket_of_thread(struct thread *t)
{
	for (;;) {
		uint64_t key = load_seq_cst(&t->wait_key);	/* pairs: lot.interrupt */
		struct bucket *b;

		if (!key)
			return NULL;
		b = bucket_of(key);
		lock_take(&b->lock);
		if (load_relaxed(&t->wait_key) == key)		/* it changes under this lock */
			return b;
		lot_unlock(b);
	}
}

/* Takes t out of its queue if it is still in the wait numbered seq. */
static bool unqueue_thread(struct thread *t, uint32_t seq, enum wait_result why)
{
	struct bucket *b = lock_bucket_of_thread(t);
	bool mine;

	if (!b)
		return false;
	mine = t->wait_queued && load_relaxed(&t->wait_seq) == seq;	/* it grows outside queues only */
	if (mine)
		unqueue(b, t, why);
	lot_unlock(b);
	return mine;
}

static void on_interrupted(struct thread *t)
{
	enum wait_result why = interruption(t, load_seq_cst(&t->pending));

	if (why != WAIT_WOKEN)
		lot_interrupt(t, why);
}

static void on_timeout(struct thread *t, uint32_t seq)
{
	if (unqueue_thread(t, seq, WAIT_TIMEOUT))
		unpark(t);
}

bool lot_interrupt(struct thread *t, enum wait_result why)
{
	struct bucket *b = lock_bucket_of_thread(t);
	bool mine;

	if (!b)
		return false;
	/* A cancellation that is not pending any more has been told already, by the wait before this one. */
	mine = t->wait_queued &&
	       (t->wait_can_interrupt & (why == WAIT_CANCEL ? load_relaxed(&t->pending) & PEND_CANCEL : PEND_SIGNAL));
	if (mine)
		unqueue(b, t, why);
	lot_unlock(b);
	if (mine)
		unpark(t);
	return mine;
}

/*
 * A BOUND thread sleeps in the kernel on its pending bits, which change when it is woken and when its
 * own signal handler asks for something: no moment is left between a look at them and the sleep.  True
 * with what they were, while nobody has woken it.
 */
static bool bound_is_parked(struct thread *me, uint32_t *ret_pending)
{
	*ret_pending = fetch_and(&me->pending, ~(uint32_t)PEND_WOKEN) & ~(uint32_t)PEND_WOKEN;
	return load_acquire(&me->state) == T_PARKING;	/* pairs: lot.bound */
}

/* Until it is woken, or takes itself out of the queue. */
static COLD void bound_sleep(struct thread *me, uint64_t deadline_ns)
{
	uint32_t seq = load_relaxed(&me->wait_seq), pending;	/* our own */

	while (bound_is_parked(me, &pending)) {
		enum wait_result why = interruption(me, pending);

		if (why == WAIT_WOKEN && sys_futex_wait(&me->pending, pending, deadline_ns) == -ETIMEDOUT)
			why = WAIT_TIMEOUT;
		if (why == WAIT_WOKEN)
			continue;
		if (unqueue_thread(me, seq, why))
			break;
		while (bound_is_parked(me, &pending))	/* who took us out is about to say so */
			sys_futex_wait(&me->pending, pending, NEVER);
	}
	park_bound_end(me);
}

static void user_sleep(struct thread *me, uint64_t deadline_ns)
{
	struct lock *lock = me->wait_lock;

	me->wait_holds_bucket = false;
	if (likely(deadline_ns == NEVER)) {
		park(me, lock);
		return;
	}
	timer_set(me, deadline_ns, load_relaxed(&me->wait_seq));
	park(me, lock);
	timer_clear(me);
}

enum wait_result lot_sleep(struct thread *me, uint64_t deadline_ns)
{
	me->wait_deadline_ns = deadline_ns;
	if (likely(me->wait_holds_bucket)) {
		user_sleep(me, deadline_ns);
	} else {			/* BOUND, or not queued: see lot_queue */
		if (me->parked_fn)
			me->parked_fn(me->parked_arg);
		if (load_relaxed(&me->state) != T_RUNNING)
			bound_sleep(me, deadline_ns);
	}
	me->parked_fn = NULL;
	store_release(&me->wait_key, 0);
	me->wait_kind = WAIT_NONE;
	if (me->wait_result == WAIT_CANCEL)
		fetch_and(&me->pending, ~(uint32_t)PEND_CANCEL);
	return me->wait_result;
}

/* The first waiter on key at or after `at` whose wait_arg shares a bit with `bits` (0: any). */
static struct thread *find(struct bucket *b, struct list *at, const void *key, uint64_t bits)
{
	for (; at != &b->queue; at = at->next) {
		struct thread *t = container_of(at, struct thread, wait_link);

		/* relaxed: guarded by the bucket */
		if (load_relaxed(&t->wait_key) == (uintptr_t)key && (!bits || (t->wait_arg & bits)))
			return t;
	}
	return NULL;
}

bool lot_has_ranks(void)
{
	return unlikely(sched_has_priorities | lot_minds_real_time);
}

static int rank(const struct thread *t)
{
	if (t->real_time)
		return INT8_MAX + t->real_time;
	return sched_has_priorities ? (int)load_relaxed(&t->priority_now) : 0;
}

/* The first of those with the highest priority. */
static COLD struct thread *find_highest(struct bucket *b, const void *key, uint64_t bits)
{
	struct thread *highest = find(b, b->queue.next, key, bits), *t = highest;

	while (t && (t = find(b, t->wait_link.next, key, bits)) != NULL)
		if (rank(t) > rank(highest))
			highest = t;
	return highest;
}

struct thread *lot_peek(struct bucket *b, const void *key, uint64_t bits)
{
	if (!b->waiters)
		return NULL;
	return lot_has_ranks() ? find_highest(b, key, bits) : find(b, b->queue.next, key, bits);
}

void lot_take_this(struct bucket *b, struct thread *t)
{
	unqueue(b, t, WAIT_WOKEN);
}

bool lot_has_waiter(struct bucket *b, const void *key)
{
	return lot_peek(b, key, 0) != NULL;
}

struct thread *lot_take(struct bucket *b, const void *key)
{
	struct thread *t = lot_peek(b, key, 0);

	if (t)
		unqueue(b, t, WAIT_WOKEN);
	return t;
}

int lot_take_some(struct bucket *b, const void *key, uint64_t bits, int n, struct list *woken)
{
	struct thread *t = lot_peek(b, key, bits);
	int count = 0;

	while (t && count < n) {
		struct list *next = t->wait_link.next;

		unqueue(b, t, WAIT_WOKEN);
		list_push_back(woken, &t->wait_link);
		count++;
		t = lot_has_ranks() ? lot_peek(b, key, bits) : find(b, next, key, bits);
	}
	return count;
}

void lot_unpark_all(struct list *woken)
{
	struct list *at = woken->next;
	struct thread *me = self_ptr;

	while (at != woken) {
		struct thread *t = container_of(at, struct thread, wait_link);

		at = at->next;		/* once unparked, t uses its link for other waits */
		unpark_by(me, t);
	}
}

int lot_wake_bits(const void *key, uint64_t bits, int n)
{
	struct list woken;
	struct bucket *b;
	int count;

	list_init(&woken);
	b = lot_lock(key);
	count = lot_take_some(b, key, bits, n, &woken);
	lot_unlock(b);
	lot_unpark_all(&woken);
	return count;
}

int lot_wake(const void *key, int n)
{
	return lot_wake_bits(key, 0, n);
}

enum wait_result lot_wait_word(struct thread *me, const struct au32 *word, uint32_t value,
			       uint64_t deadline_ns, enum wait_kind kind, int flags)
{
	struct bucket *b = lot_begin(me, word, kind, flags);

	if (load_seq_cst(word) != value) {
		lot_abort(me, b);
		return WAIT_AGAIN;
	}
	lot_queue(me, b);
	return lot_sleep(me, deadline_ns);
}

static void move_queued(struct bucket *from_b, struct bucket *to_b, struct thread *t, const void *to)
{
	list_remove(&t->wait_link);
	from_b->waiters--;
	if (!to_b->queue.next)
		list_init(&to_b->queue);
	list_push_back(&to_b->queue, &t->wait_link);
	to_b->waiters++;
	store_release(&t->wait_key, (uintptr_t)to);	/* who still reads `from` looks again once it has the lock */
}

/* The one place that holds two buckets; lower address first. */
void lot_lock_two(const void *key1, const void *key2, struct bucket **ret_b1, struct bucket **ret_b2)
{
	struct bucket *b1 = bucket_of((uintptr_t)key1), *b2 = bucket_of((uintptr_t)key2);

	lock_take(b1 < b2 ? &b1->lock : &b2->lock);
	if (b1 != b2)
		lock_take(b1 < b2 ? &b2->lock : &b1->lock);
	*ret_b1 = b1;
	*ret_b2 = b2;
}

void lot_unlock_two(struct bucket *b1, struct bucket *b2)
{
	lot_unlock(b1);
	if (b1 != b2)
		lot_unlock(b2);
}

static COLD int count_some(struct bucket *b, const void *key, int n)
{
	struct thread *t = n > 0 && b->waiters ? find(b, b->queue.next, key, 0) : NULL;
	int count = 0;

	while (t && ++count < n)
		t = find(b, t->wait_link.next, key, 0);
	return count;
}

int lot_move_some(struct bucket *from_b, const void *from, struct bucket *to_b, const void *to, int n)
{
	struct thread *t;
	int count = 0;

	if (from == to)			/* the kernel counts them, and leaves them where they are */
		return count_some(from_b, from, n);
	while (count < n && (t = lot_peek(from_b, from, 0)) != NULL) {
		move_queued(from_b, to_b, t, to);
		count++;
	}
	return count;
}

int lot_move_to_mutex(struct bucket *from_b, const void *from, struct bucket *to_b, struct au32 *word)
{
	struct list *at = from_b->queue.next;
	int count = 0;

	while (at != &from_b->queue) {
		struct thread *t = container_of(at, struct thread, wait_link);

		prefetch_further(at);
		at = at->next;
		if (load_relaxed(&t->wait_key) != (uintptr_t)from || t->wait_mutex != word)	/* guarded by from_b */
			continue;
		t->wait_kind = WAIT_MUTEX;
		t->wait_arg = WAIT_MOVED;
		move_queued(from_b, to_b, t, word);
		count++;
	}
	return count;
}

void lot_init(void)
{
	sched_hooks.timeout = on_timeout;
	sched_hooks.interrupted = on_interrupted;
}

/* All other waiters stayed in the parent, and locks that they held with them. */
void lot_fork_child(void)
{
	if (arch_syscall3(SYS_madvise, (long)lot, sizeof(lot), MADV_DONTNEED) != 0)
		memset(lot, 0, sizeof(lot));
	lot_fork_count++;
	inherit_fork_child(thread_self());
}

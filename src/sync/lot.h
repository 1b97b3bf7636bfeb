// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parking lot: every wait of a thread is here, in a queue found by the address it waits on.
 *
 * A wait, inside the runtime (rt_enter):
 *
 *	b = lot_begin(me, key, WAIT_MUTEX, flags);   takes the bucket's lock, announces the wait
 *	if (the condition no longer asks for a wait) { lot_abort(me, b); ... }
 *	lot_queue(me, b);                             the lock stays with me: nothing but lot_then
 *	lot_then(me, fn, arg);                        if something is to be done once I am parked
 *	result = lot_sleep(me, deadline_ns);          drops the lock; enum wait_result
 *
 * A wake, inside the runtime:
 *
 *	b = lot_lock(key); t = lot_take(b, key); ...; lot_unlock(b); if (t) unpark(t);
 *
 * or lot_wake(key, n).  A waiter leaves its queue exactly once: by lot_take (WOKEN), by its timer,
 * by a signal or by cancellation, whoever holds the bucket's lock first; then it is unparked once.
 * After WOKEN, the waiter touches the object no more: the waker may have freed it.
 * WAIT_CANCEL takes PEND_CANCEL back: where cancellation is disabled, the wait may simply be resumed.
 *
 * Queues are FIFO (but LOT_LIFO).  Where the policy minds priorities the highest is first, whatever the
 * queue; they change at any time, so lot_take need not take whom lot_peek found: lot_take_this does.
 * Before all others go BOUND threads with a real-time priority, by that which they had when they queued,
 * as in the kernel's futexes.
 * Order:
 *   lot.interrupt  waiter: store wait_key, take the bucket's lock (a fence), read pending
 *                  interrupter: or pending, read wait_key, take the bucket's lock
 *                  A handler on the waiter's own kernel thread only sets pending, which is read
 *                  once more when the waiter is parked.
 *   lot.bound      sleeper: take PEND_WOKEN back, read its state, sleep while its pending bits are as
 *                  they were then; waker: store its state, or PEND_WOKEN, wake
 */
#ifndef UPCALL_LOT_H
#define UPCALL_LOT_H

#include "../base/clock.h"
#include "../base/lock.h"
#include "../sched/sched.h"

struct bucket {
	struct lock lock;
	uint32_t waiters;	/* in the whole bucket */
	struct list queue;	/* lazily initialised: next == NULL is empty */
};

/* A look without its lock: whoever queues now may be missed. */
static inline bool lot_seems_waited_for(const struct bucket *b)
{
	return __atomic_load_n(&b->waiters, __ATOMIC_RELAXED) != 0;
}

/* flags of lot_begin */
enum {
	LOT_INTERRUPTIBLE = 1,	/* a signal handler or a cancellation ends the wait */
	LOT_LIFO = 2,		/* queue at the front */
	LOT_SIGNALS = 4,	/* a signal handler ends the wait; it is no cancellation point */
};

/*
 * Keys of objects of different kinds differ even where one took the other's memory, so that a late
 * wake of the old object never meets a waiter of the new one: the kind is added, above all bits of an
 * address, since objects in packed structures may be aligned in any way.  0 is for words that any
 * wake may reach, whose waiters look again.
 */
enum lot_tag { LOT_WORD, LOT_SEM, LOT_COND, LOT_RWLOCK, LOT_BARRIER, LOT_OWN = 8, LOT_JOIN };
enum { LOT_TAG_SHIFT = 60 };
#define LOT_TAG_MASK (UINT64_C(15) << LOT_TAG_SHIFT)

/*
 * From LOT_OWN on, the top bit, what is waited on has its own bucket.  A key tagged LOT_OWN is in an object that has a bucket of its own, at this place of the cache line:
 * with thousands of objects that are waited for by turns, the table would be one more line to fetch.
 */
enum { LOT_OWN_LINE = 64, LOT_OWN_BUCKET = 40 };

/* One tagged LOT_JOIN is the address of a thread's life word; its descriptor has the bucket. */
_Static_assert(sizeof(((struct thread *)0)->joiners) == sizeof(struct bucket), "fits");

static inline const void *lot_key(const void *object, enum lot_tag tag)
{
	return (const void *)((uintptr_t)object | (uintptr_t)tag << LOT_TAG_SHIFT);
}

#pragma GCC visibility push(hidden)

/* Of a word in memory of the program's, which has a bucket of the table; how many turns it has had: see futex.c. */
struct bucket *lot_bucket(const void *word);
uint32_t lot_turn(struct bucket *b);
void lot_end_turn(struct bucket *b);		/* it is locked */
struct bucket *lot_lock(const void *key);
void lot_prefetch_waiter(const void *key);	/* the first thread in its bucket is wanted soon */
/* t, just taken from b, runs soon, and then whoever is first in b now. */
void lot_prefetch_next(const struct bucket *b, const struct thread *t);
void lot_unlock(struct bucket *b);
struct bucket *lot_begin(struct thread *me, const void *key, enum wait_kind kind, int flags);
void lot_abort(struct thread *me, struct bucket *b);
void lot_queue(struct thread *me, struct bucket *b);
/* fn(arg) is called, inside the runtime and holding nothing, perhaps by another thread. */
void lot_then(struct thread *me, void (*fn)(void *), void *arg);
enum wait_result lot_sleep(struct thread *me, uint64_t deadline_ns);
/* The first waiter on `key`, taken out of the queue with result WOKEN, or NULL.  Caller unparks it. */
struct thread *lot_take(struct bucket *b, const void *key);
/* The same of t, which lot_peek found. */
void lot_take_this(struct bucket *b, struct thread *t);
/* Is somebody (else) queued on key? */
bool lot_has_waiter(struct bucket *b, const void *key);
/* Wakes at most n; returns how many. */
int lot_wake(const void *key, int n);
/* Futex semantics: sleeps if *word == value.  WAIT_AGAIN when it was not. */
enum wait_result lot_wait_word(struct thread *me, const struct au32 *word, uint32_t value,
			       uint64_t deadline_ns, enum wait_kind kind, int flags);
/* Ends t's interruptible wait, if it is in one, with `why`.  Any thread, inside the runtime. */
bool lot_interrupt(struct thread *t, enum wait_result why);
/* The first waiter on `key` whose wait_arg shares a bit with `bits` (0: any), left there, or NULL. */
struct thread *lot_peek(struct bucket *b, const void *key, uint64_t bits);
/*
 * Takes at most n such waiters, oldest first, and appends them
 * to *woken by their wait_link; returns how many.  lot_unpark_all after the lock is dropped.
 */
int lot_take_some(struct bucket *b, const void *key, uint64_t bits, int n, struct list *woken);
void lot_unpark_all(struct list *woken);
int lot_wake_bits(const void *key, uint64_t bits, int n);
/* Two keys at once, for requeues. */
void lot_lock_two(const void *key1, const void *key2, struct bucket **ret_b1, struct bucket **ret_b2);
void lot_unlock_two(struct bucket *b1, struct bucket *b2);
/* Do some go before others, whoever came first? */
bool lot_has_ranks(void);
/* Those that need `word` next, and say so by wait_mutex: as waiters of a mutex, with wait_arg WAIT_MOVED. */
int lot_move_to_mutex(struct bucket *from_b, const void *from, struct bucket *to_b, struct au32 *word);
int lot_move_some(struct bucket *from_b, const void *from, struct bucket *to_b, const void *to, int n);
/* Set for good once there may be a thread with a real-time policy. */
extern bool lot_minds_real_time;
/* Set while somebody watches: waits then note when they began. */
extern bool lot_observed;
/* How many forks lie between this process and the one that was started. */
extern uint32_t lot_fork_count;
void lot_init(void);
void lot_fork_child(void);

#pragma GCC visibility pop

#endif

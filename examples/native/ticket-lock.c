// SPDX-License-Identifier: BSD-2-Clause
/*
 * A primitive of one's own: a lock that is handed on strictly in the order of arrival, made of park and
 * unpark.  Whoever is to be woken has its token kept, so that it does not matter who comes first: the
 * one who waits to park, or the one who leaves to unpark it.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <upcall/upcall.h>

enum { THREADS = 100, ROUNDS = 500 };

/* On the stack of the one who waits. */
struct waiter {
	upcall_t thread;
	_Atomic(struct waiter *) next;
	atomic_int state;
};

enum { WAITS, IS_NEXT, IS_WOKEN };

struct ticket_lock {
	_Atomic(struct waiter *) last;		/* NULL: free */
};

static void ticket_lock(struct ticket_lock *lock, struct waiter *me)
{
	me->thread = upcall_self();
	atomic_init(&me->next, NULL);
	atomic_init(&me->state, WAITS);
	struct waiter *before = atomic_exchange(&lock->last, me);

	if (!before)
		return;
	atomic_store(&before->next, me);
	while (atomic_load(&me->state) == WAITS)	/* a token may be left from another wait */
		upcall_park();
	while (atomic_load(&me->state) != IS_WOKEN)	/* who wakes us has our handle, and *me, until then */
		upcall_yield();
}

static void ticket_unlock(struct ticket_lock *lock, struct waiter *me)
{
	struct waiter *seen = me, *next;

	if (!atomic_load(&me->next) && atomic_compare_exchange_strong(&lock->last, &seen, NULL))
		return;
	while (!(next = atomic_load(&me->next)))
		upcall_yield();			/* it is about to say that it comes after us */
	atomic_store(&next->state, IS_NEXT);
	upcall_unpark(next->thread);
	atomic_store(&next->state, IS_WOKEN);	/* from here on *next may be gone, and its thread */
}

static struct ticket_lock lock;
static long entries, inside, crowds;

static void *work(void *arg)
{
	struct waiter me;

	for (int i = 0; i < ROUNDS; i++) {
		ticket_lock(&lock, &me);
		crowds += inside++ != 0;
		if (i % 16 == 0)
			upcall_yield();
		inside--;
		entries++;
		ticket_unlock(&lock, &me);
	}
	return arg;
}

int main(void)
{
	upcall_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (upcall_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		upcall_join(thread[i], NULL);
	printf("%ld entries, never two at once\n", entries);
	return entries != (long)THREADS * ROUNDS || crowds;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "runq.h"

enum { OVERFLOW_BATCH = RUNQ_SIZE / 2 };

static void overflow_push(struct runq *q, struct thread *t)
{
	lock_take(&q->overflow_lock);
	t->qnext = NULL;
	if (q->overflow_first)
		q->overflow_last->qnext = t;
	else
		q->overflow_first = t;
	q->overflow_last = t;
	count_up(&q->overflow_count);
	lock_drop(&q->overflow_lock);
}

static struct thread *overflow_pop(struct runq *q)
{
	if (load_relaxed(&q->overflow_count) == 0)	/* relaxed: a miss is looked at again before sleeping */
		return NULL;
	lock_take(&q->overflow_lock);
	struct thread *t = q->overflow_first;

	if (t) {
		q->overflow_first = t->qnext;
		store_relaxed(&q->overflow_count, load_relaxed(&q->overflow_count) - 1);
	}
	lock_drop(&q->overflow_lock);
	return t;
}

void runq_push(struct runq *q, struct thread *t)
{
	uint32_t tail = load_relaxed(&q->tail);

	/* Behind an overflow everything must queue there too, or the ring would overtake it. */
	if (load_relaxed(&q->overflow_count) || tail - load_acquire(&q->head) >= RUNQ_SIZE) {
		overflow_push(q, t);
		return;
	}
	store_relaxed(&q->ring[tail % RUNQ_SIZE], t);
	store_release(&q->tail, tail + 1);		/* pairs: runq.publish */
}

/* The newest goes first; whom it displaces goes to the end. */
void runq_push_lifo(struct runq *q, struct thread *t)
{
	struct thread *old = xchg_seq_cst(&q->lifo, t);

	if (old)
		runq_push(q, old);
}

struct thread *runq_pop_lifo(struct runq *q)
{
	return load_relaxed(&q->lifo) ? xchg_acq_rel(&q->lifo, NULL) : NULL;
}

static struct thread *ring_take(struct runq *q)
{
	uint32_t head = load_acquire(&q->head);

	while (head != load_acquire(&q->tail)) {
		struct thread *t = load_relaxed(&q->ring[head % RUNQ_SIZE]);

		if (cas_seq_cst(&q->head, &head, head + 1))	/* pairs: runq.claim */
			return t;
	}
	return NULL;
}

static void refill_from_overflow(struct runq *q)
{
	for (int i = 0; i < OVERFLOW_BATCH; i++) {
		uint32_t tail = load_relaxed(&q->tail);
		struct thread *t = overflow_pop(q);

		if (!t)
			return;
		store_relaxed(&q->ring[tail % RUNQ_SIZE], t);
		store_release(&q->tail, tail + 1);	/* pairs: runq.publish */
	}
}

struct thread *runq_pop(struct runq *q)
{
	struct thread *t = ring_take(q);

	if (!t && load_relaxed(&q->overflow_count)) {
		refill_from_overflow(q);
		t = ring_take(q);
	}
	return t;
}

void runq_post(struct runq *q, struct thread *t)
{
	struct thread *old = load_relaxed(&q->inbox);

	do
		t->qnext = old;
	while (!cas_seq_cst(&q->inbox, &old, t));	/* pairs: runq.inbox */
}

static struct thread *inbox_grab(struct runq *q)
{
	struct thread *newest = load_relaxed(&q->inbox) ? xchg_seq_cst(&q->inbox, NULL) : NULL;
	struct thread *oldest = NULL;

	while (newest) {
		struct thread *next = newest->qnext;

		newest->qnext = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

static bool push_all(struct runq *q, struct thread *list)
{
	bool any = list != NULL;

	while (list) {
		struct thread *next = list->qnext;

		runq_push(q, list);
		list = next;
	}
	return any;
}

bool runq_take_inbox(struct runq *q)
{
	return push_all(q, inbox_grab(q));
}

uint32_t runq_length(const struct runq *q)
{
	return load_acquire(&q->tail) - load_acquire(&q->head) + load_relaxed(&q->overflow_count) +
	       (load_relaxed(&q->lifo) != NULL) + (load_relaxed(&q->inbox) != NULL);
}

bool runq_is_empty(const struct runq *q)
{
	return load_relaxed(&q->lifo) == NULL && load_relaxed(&q->inbox) == NULL &&
	       load_acquire(&q->head) == load_acquire(&q->tail) && load_relaxed(&q->overflow_count) == 0;
}

struct thread *runq_steal(struct runq *own, struct runq *victim)
{
	uint32_t n = (load_acquire(&victim->tail) - load_acquire(&victim->head) + 1) / 2;
	struct thread *first = ring_take(victim);

	for (uint32_t i = 1; first && i < n && i < OVERFLOW_BATCH; i++) {
		struct thread *t = ring_take(victim);

		if (!t)
			break;
		runq_push(own, t);
	}
	if (!first)
		first = overflow_pop(victim);
	if (!first) {
		first = inbox_grab(victim);
		if (first)
			push_all(own, first->qnext);
	}
	if (!first)
		first = runq_pop_lifo(victim);
	return first;
}

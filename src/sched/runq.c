// SPDX-License-Identifier: BSD-2-Clause
#include "../base/random.h"
#include "runq.h"

/* CROWD: so many are moved at once at most, and where more are ready no others are looked for. */
enum { CROWD = RING_SIZE / 2 < 128 ? RING_SIZE / 2 : 128, LIFO_MAX = 32, MANY_HOT = 4 };

static uint32_t ring_length(const struct ring *r)
{
	return load_acquire(&r->tail) - load_acquire(&r->head);
}

static inline __attribute__((always_inline)) bool ring_push(struct ring *r, struct thread *t)
{
	uint32_t tail = load_relaxed(&r->tail);		/* relaxed: only we write it */

	if (tail - load_acquire(&r->head) >= RING_SIZE)	/* pairs: runq.claim */
		return false;
	store_relaxed(&r->slot[tail % RING_SIZE], t);
	store_release(&r->tail, tail + 1);		/* pairs: runq.publish */
	return true;
}

static inline __attribute__((always_inline)) struct thread *ring_take(struct ring *r, bool has_thieves)
{
	uint32_t head = load_acquire(&r->head);

	if (!has_thieves) {	/* relaxed: only the owner writes either end */
		if (head == load_relaxed(&r->tail))
			return NULL;
		store_relaxed(&r->head, head + 1);
		return load_relaxed(&r->slot[head % RING_SIZE]);
	}
	while (head != load_acquire(&r->tail)) {	/* pairs: runq.publish */
		struct thread *t = load_relaxed(&r->slot[head % RING_SIZE]);

		if (cas_seq_cst(&r->head, &head, head + 1))	/* pairs: runq.claim */
			return t;
	}
	return NULL;
}

static COLD void overflow_push(struct runq *q, struct thread *t)
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

/* Caller holds the overflow's lock. */
static struct thread *overflow_take(struct runq *q)
{
	struct thread *t = q->overflow_first;

	if (t) {
		q->overflow_first = t->qnext;
		store_relaxed(&q->overflow_count, load_relaxed(&q->overflow_count) - 1);
	}
	return t;
}

static COLD struct thread *overflow_pop(struct runq *q)
{
	if (load_relaxed(&q->overflow_count) == 0)	/* relaxed: a miss is looked at again before sleeping */
		return NULL;
	lock_take(&q->overflow_lock);
	struct thread *t = overflow_take(q);

	lock_drop(&q->overflow_lock);
	return t;
}

void runq_push(struct runq *q, struct thread *t)
{
	/* Behind an overflow everything must queue there too, or the ring would overtake it. */
	if (load_relaxed(&q->overflow_count) || !ring_push(&q->cold, t))
		overflow_push(q, t);
}

void runq_push_hot(struct runq *q, struct thread *t)
{
	if (!ring_push(&q->hot, t))
		runq_push(q, t);
}

/*
 * Who waits by computing, for what another leaves, is not to have the same one before it for ever: now and then the one
 * that would follow t goes before it.
 */
void runq_push_hog(struct runq *q, struct thread *t)
{
	enum { ONE_IN_FOUR = 30 };

	q->has_hogs = true;
	if (!(random_next(&q->random) >> ONE_IN_FOUR) && ring_length(&q->cold) > 1) {
		struct thread *next = ring_take(&q->cold, load_relaxed(&q->has_thieves));

		if (next)
			runq_push(q, next);
	}
	runq_push(q, t);
}

void runq_push_new(struct runq *q, struct thread *t)
{
	if (unlikely(q->has_hogs))
		runq_push_hot(q, t);
	else
		runq_push(q, t);
}

void runq_push_yielder(struct runq *q, struct thread *t)
{
	q->has_yielder = true;
	runq_push(q, t);
}

bool runq_has_new(const struct runq *q)
{
	return (!q->has_hogs || q->has_yielder) && ring_length(&q->cold);
}

/* The newest goes first; whom it displaces goes to the end of the hot ones. */
void runq_push_lifo(struct runq *q, struct thread *t)
{
	struct thread *old = load_relaxed(&q->lifo);	/* relaxed: alone, or only a guess */

	if (load_relaxed(&q->has_thieves))
		old = xchg_seq_cst(&q->lifo, t);
	else
		store_relaxed(&q->lifo, t);
	if (old)
		runq_push_hot(q, old);
}

struct thread *runq_take_lifo(struct runq *q)
{
	return load_relaxed(&q->lifo) ? xchg_acq_rel(&q->lifo, NULL) : NULL;	/* relaxed: only a guess */
}

/* The cold ring is empty, and only we push. */
static COLD struct thread *pop_overflow(struct runq *q)
{
	struct thread *t;

	lock_take(&q->overflow_lock);
	for (int i = 0; i < CROWD && (t = overflow_take(q)); i++)
		ring_push(&q->cold, t);
	lock_drop(&q->overflow_lock);
	return ring_take(&q->cold, load_relaxed(&q->has_thieves));
}

/* Whether or not there is one: the time runs anew from when the vproc is left to a hot one. */
static struct thread *pop_cold(struct runq *q)
{
	struct thread *t = ring_take(&q->cold, load_relaxed(&q->has_thieves));

	q->has_run_hot = q->is_cold_turn = false;
	q->cold_tsc = 0;
	if (likely(t != NULL)) {
		if (q->has_yielder && !t->burst_ticks)
			q->has_yielder = false;		/* or it is another: who yields soon does so again */
		return t;
	}
	q->has_yielder = false;
	if (load_relaxed(&q->overflow_count))
		return pop_overflow(q);
	q->has_hogs = false;
	return NULL;
}

/*
 * With many threads that take turns, nothing of the next one is in the cache by then, nor in the TLB:
 * it is fetched while this one runs.  A thread at the head of the hot ring is alive.
 */
static inline void prefetch_next(const struct runq *q)
{
	enum { MANY = 8 };
	uint32_t head = load_relaxed(&q->hot.head);

	if (load_relaxed(&q->hot.tail) - head > MANY) {
		thread_prefetch_more(load_relaxed(&q->hot.slot[(head + 1) % RING_SIZE]));
		thread_prefetch_stack(load_relaxed(&q->hot.slot[head % RING_SIZE]));
	}
}

void runq_push_parent(struct runq *q, struct thread *t)
{
	if (!parents_push(&q->parents, t))
		runq_push_hot(q, t);
}

void runq_look(struct runq *q, uint64_t tsc, uint64_t cold_ticks, uint64_t lifo_ticks)
{
	if (q->has_run_hot && !q->cold_tsc)
		q->cold_tsc = tsc + cold_ticks;
	else if (q->has_run_hot && tsc >= q->cold_tsc)
		q->is_cold_turn = true;
	if (!q->lifo_run || !q->lifo_tsc) {
		q->lifo_tsc = tsc;
	} else if (tsc - q->lifo_tsc >= lifo_ticks) {
		q->lifo_run = LIFO_MAX;
		q->lifo_tsc = 0;
	}
}

/* From the LIFO slot, where it is not empty; NULL: others have their turn before that. */
static inline struct thread *pop_lifo(struct runq *q, struct thread *t)
{
	if (!load_relaxed(&q->has_thieves))
		store_relaxed(&q->lifo, NULL);
	else if (!(t = xchg_acq_rel(&q->lifo, NULL)))
		return NULL;
	if (likely(++q->lifo_run <= LIFO_MAX) || t->nopreempt)
		return t;
	runq_push_hot(q, t);
	return NULL;
}

struct thread *runq_pop(struct runq *q)
{
	struct thread *t = load_relaxed(&q->lifo);	/* relaxed: alone, or only a guess */

	if (t && (t = pop_lifo(q, t)))
		return t;
	q->lifo_run = 0;
	if (likely(q->parent_run < PARENT_RUN) && (t = parents_pop(&q->parents, load_relaxed(&q->has_thieves)))) {
		q->parent_run++;
		return t;
	}
	q->parent_run = 0;
	if (unlikely(q->is_cold_turn) && (t = pop_cold(q)))
		return t;
	t = ring_take(&q->hot, load_relaxed(&q->has_thieves));
	if (t) {
		q->has_run_hot = true;
		prefetch_next(q);
		return t;
	}
	t = pop_cold(q);
	return t ? t : parents_pop(&q->parents, load_relaxed(&q->has_thieves));
}

/* All are taken in turn and put back, but for t: so the others keep their order, and thieves see nothing new. */
static bool ring_take_out(struct ring *r, const struct thread *t, bool has_thieves)
{
	uint32_t head = load_acquire(&r->head), n = ring_length(r), i = 0;
	struct thread *first;
	bool found = false;

	while (i < n && load_relaxed(&r->slot[(head + i) % RING_SIZE]) != t)	/* relaxed: we filled it */
		i++;
	if (i == n)
		return false;
	while (n-- && (first = ring_take(r, has_thieves)))
		if (first == t)
			found = true;
		else
			ring_push(r, first);
	return found;
}

static bool parents_take_out(struct parents *p, const struct thread *t)
{
	uint32_t n = parents_length(p);
	struct thread *first;
	bool found = false;

	while (n-- && (first = parents_steal(p)))
		if (first == t)
			found = true;
		else
			parents_push(p, first);
	return found;
}

void runq_put_first(struct runq *q, struct thread *t)
{
	bool has_thieves = load_relaxed(&q->has_thieves);

	if (load_relaxed(&q->inbox))
		runq_take_inbox(q);
	q->lifo_run = 1;		/* not 0: the time runs on, and a look on the way to the next one tells */
	if (load_relaxed(&q->lifo) == t)
		return;
	if (ring_take_out(&q->hot, t, has_thieves) || parents_take_out(&q->parents, t) ||
	    ring_take_out(&q->cold, t, has_thieves))
		runq_push_lifo(q, t);
}

void runq_post(struct runq *q, struct thread *t)
{
	struct thread *old = load_relaxed(&q->inbox);

	do
		t->qnext = old;
	while (!cas_seq_cst(&q->inbox, &old, t));	/* pairs: runq.inbox */
}

/* The whole inbox, oldest first. */
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

static void push_from_inbox(struct runq *q, struct thread *t)
{
	if (likely(!t->goes_first)) {
		runq_push_hot(q, t);
		return;
	}
	t->goes_first = false;
	runq_push_lifo(q, t);
}

static bool push_all(struct runq *q, struct thread *list)
{
	bool any = list != NULL;

	while (list) {
		struct thread *next = list->qnext;

		push_from_inbox(q, list);
		list = next;
	}
	return any;
}

bool runq_take_inbox(struct runq *q)
{
	return push_all(q, inbox_grab(q));
}

bool runq_has_hot_before(const struct runq *q)
{
	return load_relaxed(&q->lifo) || ring_length(&q->hot);
}

bool runq_has_hot(const struct runq *q)
{
	return load_relaxed(&q->inbox) || runq_has_hot_before(q);
}

bool runq_has_many_hot(const struct runq *q)
{
	return ring_length(&q->hot) > MANY_HOT;
}

bool runq_is_crowded(const struct runq *q)
{
	return ring_length(&q->hot) > CROWD;
}

uint32_t runq_length(const struct runq *q)
{
	return ring_length(&q->hot) + ring_length(&q->cold) + parents_length(&q->parents) +
	       load_relaxed(&q->overflow_count) +
	       (load_relaxed(&q->lifo) != NULL) + (load_relaxed(&q->inbox) != NULL);
}

bool runq_is_empty(const struct runq *q)
{
	return runq_length(q) == 0;
}

uint32_t runq_count_hogs(const struct runq *q)
{
	return q->has_hogs ? ring_length(&q->cold) : 0;		/* read racily: a hint */
}

struct thread *runq_take_hog(struct runq *q)
{
	return ring_take(&q->cold, true);
}

/* Is the first one new, and younger than that?  A hint. */
static bool is_younger(struct ring *r, uint64_t ticks)
{
	uint32_t head = load_acquire(&r->head);

	if (head == load_acquire(&r->tail))
		return false;
	const struct thread *t = load_relaxed(&r->slot[head % RING_SIZE]);

	return t && !__atomic_load_n(&t->last_vproc, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&t->left_ticks, __ATOMIC_RELAXED) > ticks;
}

struct thread *runq_steal(struct runq *own, struct runq *victim, uint64_t born)
{
	bool is_young = is_younger(&victim->hot, born);		/* it goes before cold ones; the thief looks again */
	struct thread *first = is_young ? NULL : ring_take(&victim->hot, true);

	if (!first)
		first = parents_steal(&victim->parents);
	if (!first && !is_young && !is_younger(&victim->cold, born)) {
		uint32_t n = (ring_length(&victim->cold) + 1) / 2;

		first = ring_take(&victim->cold, true);
		own->has_hogs = own->has_hogs || victim->has_hogs;	/* read racily: a hint */
		for (uint32_t i = 1; first && i < n && i < CROWD; i++) {
			struct thread *t = ring_take(&victim->cold, true);

			if (!t)
				break;
			runq_push(own, t);
		}
	}
	if (!first)
		first = overflow_pop(victim);
	if (!first) {
		first = inbox_grab(victim);
		if (first) {
			push_all(own, first->qnext);
			first->goes_first = false;
		}
	}
	return first;
}

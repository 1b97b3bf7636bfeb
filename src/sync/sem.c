// SPDX-License-Identifier: BSD-2-Clause
#include "sem.h"

static const void *key_of(struct sem *s)
{
	return lot_key(s, LOT_SEM);
}

/* wait_arg of a waiter */
enum { TRIES_AGAIN, STARVES, PASSES };

/* Under the bucket's lock: false when there is something to take, else the word says that somebody waits. */
static bool mark_if_empty(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a marked word changes under this lock, or by takers */

	while (!(uint32_t)seen)
		if ((seen & SEM_WAITED) || cas_seq_cst(&s->word, &seen, SEM_WAITED))
			return true;
	return false;
}

enum wait_result sem_wait_once(struct sem *s, uint64_t deadline_ns, unsigned losses)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(s), WAIT_SEM, LOT_INTERRUPTIBLE | (losses ? LOT_LIFO : 0));
	enum wait_result why = WAIT_AGAIN;

	if (mark_if_empty(s)) {
		me->wait_arg = unlikely(losses >= SEM_LOSSES) ? STARVES : TRIES_AGAIN;
		lot_queue(me, b);
		why = lot_sleep(me, deadline_ns);
		if (why == WAIT_WOKEN && me->wait_arg != PASSES)
			why = WAIT_AGAIN;
	} else {
		lot_abort(me, b);
	}
	rt_leave(me);
	return why;
}

static bool raise_value(struct sem *s, bool is_waited)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	do {
		if (unlikely((uint32_t)seen >= SEM_MAX))
			return false;
	} while (!cas_seq_cst(&s->word, &seen, (uint32_t)seen + 1 + (is_waited ? SEM_WAITED : 0)));
	return true;
}

FLAT bool sem_raise_waited(struct sem *s)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(key_of(s));
	struct thread *t = lot_take(b, key_of(s));
	bool is_raised = true;

	if (likely(t && (load_relaxed(&s->taker) != me->id || t->wait_arg == STARVES))) {	/* relaxed: a hint */
		t->wait_arg = PASSES;
		store_relaxed(&s->taker, t->id);
	} else {
		is_raised = raise_value(s, t != NULL);
	}
	lot_unlock(b);
	if (likely(t != NULL))
		unpark_by(me, t);
	rt_leave(me);
	return is_raised;
}

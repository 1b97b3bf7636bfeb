// SPDX-License-Identifier: BSD-2-Clause
#include "sem.h"

static const void *key_of(struct sem *s)
{
	return lot_key(s, LOT_SEM);
}

/* Under the bucket's lock: false when there is something to take, else we are counted. */
static bool count_if_empty(struct sem *s)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	while (!(uint32_t)seen)
		if (cas_seq_cst(&s->word, &seen, seen + SEM_ONE_WAITER))
			return true;
	return false;
}

FLAT enum wait_result sem_wait_once(struct sem *s, uint64_t deadline_ns)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, key_of(s), WAIT_SEM, LOT_INTERRUPTIBLE);
	enum wait_result why = WAIT_WOKEN;

	if (count_if_empty(s)) {
		lot_queue(me, b);
		why = lot_sleep(me, deadline_ns);
		if (why != WAIT_WOKEN)
			fetch_sub(&s->word, SEM_ONE_WAITER);
	} else {
		lot_abort(me, b);
	}
	rt_leave(me);
	return why;
}

/* Raises the value, and takes `counted` (one waiter, or none) from the count, in one instruction. */
static bool raise_value(struct sem *s, uint64_t counted)
{
	uint64_t seen = load_relaxed(&s->word);		/* a guess: the CAS checks it */

	do {
		if (unlikely((uint32_t)seen >= SEM_MAX))
			return false;
	} while (!cas_seq_cst(&s->word, &seen, seen + 1 - counted));
	return true;
}

FLAT bool sem_raise_waited(struct sem *s)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(key_of(s));
	struct thread *t = lot_take(b, key_of(s));
	bool is_raised = raise_value(s, t ? SEM_ONE_WAITER : 0);

	if (unlikely(!is_raised && t))
		fetch_sub(&s->word, SEM_ONE_WAITER);
	lot_unlock(b);
	if (t)
		unpark(t);
	rt_leave(me);
	return is_raised;
}

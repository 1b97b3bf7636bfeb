// SPDX-License-Identifier: BSD-2-Clause
#include "join.h"

#include <errno.h>

/* Inside the runtime, on another stack: t will never run again. */
static void exited(struct thread *t)
{
	if (t->joiner_is_next) {	/* it has the claim, and runs next: whatever others write does not matter */
		store_release(&t->life, LIFE_JOINING | LIFE_EXITED);
		return;
	}
	uint32_t was;

	/* From here on t may be somebody else. */
	if (load_relaxed(&sched_lone) == LONE) {	/* pairs: lone */
		was = load_relaxed(&t->life);
		store_release(&t->life, was | LIFE_EXITED);
	} else {
		was = fetch_or(&t->life, LIFE_EXITED);
	}
	if (was & LIFE_JOINING)		/* detached meanwhile or not, it is the joiner's */
		lot_wake(join_key(t), 1);
	else if (was & LIFE_DETACHED)
		sched_recycle(t);
}

/* Inside the runtime, still on its own stack. */
static struct thread *exiting(struct thread *me)
{
	struct bucket *b = lot_lock(join_key(me));
	struct thread *joiner = lot_take(b, join_key(me));

	lot_unlock(b);
	me->joiner_is_next = joiner && joiner->kind == THREAD_USER;
	if (!joiner || me->joiner_is_next)
		return joiner;
	unpark(joiner);		/* it looks too early, waits again, and `exited` wakes it */
	return NULL;
}

void join_start(void)
{
	sched_hooks.exiting = exiting;
	sched_hooks.exited = exited;
}

bool join_is_circular(struct thread *me, struct thread *t)
{
	return t == me || (me->joiner == t && !(load_acquire(&me->life) & LIFE_EXITED));
}

/* Of a thread that may not have ended yet: what its life was.  Inside where ends go without a locked instruction. */
static uint32_t set_life(struct thread *t, uint32_t bit, bool is_so)
{
	return is_so ? fetch_or(&t->life, bit) : fetch_and(&t->life, ~bit);
}

static uint32_t set_life_inside(struct thread *t, uint32_t bit, bool is_so)
{
	struct thread *me = rt_enter();
	uint32_t was;

	if (unlikely(me->kind != THREAD_USER))
		sched_mind_outsiders();
	if (load_relaxed(&sched_lone) == LONE) {
		was = load_relaxed(&t->life);
		store_release(&t->life, is_so ? was | bit : was & ~bit);
	} else {
		was = set_life(t, bit, is_so);
	}
	rt_leave(me);
	return was;
}

static inline uint32_t change(struct thread *t, uint32_t bit, bool is_so)
{
	return load_acquire(&sched_lone) == NOT_LONE ? set_life(t, bit, is_so) : set_life_inside(t, bit, is_so);
}

int join_claim(struct thread *me, struct thread *t)
{
	uint32_t life = load_acquire(&t->life);

	if (life & LIFE_DETACHED)
		return EINVAL;
	if (life & LIFE_REAPED)
		return ESRCH;
	if (life == LIFE_EXITED) {		/* nobody changes it any more, but who may join it */
		store_relaxed(&t->life, life | LIFE_JOINING);
	} else {
		life = change(t, LIFE_JOINING, true);
		if (life & LIFE_JOINING)
			return EINVAL;
		if ((life & LIFE_EXITED) && (life & (LIFE_DETACHED | LIFE_REAPED)))	/* both since we looked: nobody's */
			return EINVAL;
	}
	t->joiner = me;
	return 0;
}

void join_reap(struct thread *t)
{
	struct thread *me = rt_enter();

	sched_recycle(t);
	rt_leave(me);
}

void join_unclaim(struct thread *t)
{
	t->joiner = NULL;
	uint32_t was = change(t, LIFE_JOINING, false);

	if ((was & LIFE_DETACHED) && (was & LIFE_EXITED))	/* it was left to us */
		join_reap(t);
}

static enum wait_result wait_once(struct thread *me, struct thread *t, uint32_t life, uint64_t until_ns)
{
	struct bucket *b = lot_begin(me, join_key(t), WAIT_JOIN, LOT_INTERRUPTIBLE);

	if (load_seq_cst(&t->life) != life) {
		lot_abort(me, b);
		return WAIT_AGAIN;
	}
	lot_queue(me, b);
	return lot_sleep(me, until_ns);
}

enum wait_result join_wait(struct thread *t, uint64_t until_ns)
{
	enum wait_result result = WAIT_WOKEN;
	uint32_t life;

	if (likely(load_acquire(&t->life) & LIFE_EXITED))
		return WAIT_WOKEN;
	while (!((life = load_acquire(&t->life)) & LIFE_EXITED) && result != WAIT_TIMEOUT &&
	       result != WAIT_CANCEL) {
		struct thread *me = rt_enter();

		result = wait_once(me, t, life, until_ns);
		rt_leave(me);
	}
	if (!(load_acquire(&t->life) & LIFE_EXITED))
		return result;
	if (result == WAIT_CANCEL)	/* which is taken back, and not told now */
		fetch_or(&thread_self()->pending, PEND_CANCEL);
	return WAIT_WOKEN;
}

int join_detach(struct thread *t)
{
	uint32_t life = load_acquire(&t->life);

	if (life & LIFE_REAPED)
		return life & LIFE_DETACHED ? EINVAL : ESRCH;
	uint32_t was = change(t, LIFE_DETACHED, true);

	if (was & (LIFE_DETACHED | LIFE_REAPED))
		return EINVAL;
	if ((was & LIFE_EXITED) && !(was & LIFE_JOINING))
		join_reap(t);
	return 0;
}

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

/* Inside, where ends may go without a locked instruction.  Of a thread that may not have ended yet: what its life was. */
static uint32_t change(struct thread *me, struct thread *t, uint32_t bit, bool is_so)
{
	if (unlikely(me->kind != THREAD_USER))
		sched_mind_outsiders();
	if (load_relaxed(&sched_lone) != LONE)
		return is_so ? fetch_or(&t->life, bit) : fetch_and(&t->life, ~bit);
	uint32_t was = load_relaxed(&t->life);

	store_release(&t->life, is_so ? was | bit : was & ~bit);
	return was;
}

static int claim(struct thread *me, struct thread *t)
{
	uint32_t life = load_acquire(&t->life);

	if (life & LIFE_DETACHED)
		return EINVAL;
	if (life & LIFE_REAPED)
		return ESRCH;
	if (life == LIFE_EXITED) {		/* nobody changes it any more, but who may join it */
		store_relaxed(&t->life, life | LIFE_JOINING);
	} else {
		life = change(me, t, LIFE_JOINING, true);
		if (life & LIFE_JOINING)
			return EINVAL;
		if ((life & LIFE_EXITED) && (life & (LIFE_DETACHED | LIFE_REAPED)))	/* both since we looked: nobody's */
			return EINVAL;
	}
	t->joiner = me;
	return 0;
}

int join_claim(struct thread *t)
{
	struct thread *me = rt_enter();
	int err = claim(me, t);

	rt_leave(me);
	return err;
}

void join_reap(struct thread *t)
{
	struct thread *me = rt_enter();

	sched_recycle(t);
	rt_leave(me);
}

static void unclaim(struct thread *me, struct thread *t)
{
	t->joiner = NULL;
	uint32_t was = change(me, t, LIFE_JOINING, false);

	if ((was & LIFE_DETACHED) && (was & LIFE_EXITED))	/* it was left to us */
		sched_recycle(t);
}

void join_unclaim(struct thread *t)
{
	struct thread *me = rt_enter();

	unclaim(me, t);
	rt_leave(me);
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

/* After the claim.  Signals are handled in between: *progress is WAIT_SIGNAL then. */
static enum wait_result await(struct thread *me, struct thread *t, uint64_t until_ns, enum wait_result *progress)
{
	enum wait_result result = WAIT_WOKEN;
	uint32_t life;

	while (!((life = load_acquire(&t->life)) & LIFE_EXITED)) {
		if (result == WAIT_TIMEOUT || result == WAIT_CANCEL)
			return result;
		result = wait_once(me, t, life, until_ns);
		if (unlikely(result == WAIT_SIGNAL)) {
			*progress = WAIT_SIGNAL;
			compiler_barrier();
			rt_leave(me);
			rt_enter_as(me);
			compiler_barrier();
			*progress = WAIT_AGAIN;
		}
	}
	if (result == WAIT_CANCEL)	/* which is taken back, and not told now */
		fetch_or(&me->pending, PEND_CANCEL);
	return WAIT_WOKEN;
}

enum wait_result join_wait(struct thread *t, uint64_t until_ns)
{
	if (likely(load_acquire(&t->life) & LIFE_EXITED))
		return WAIT_WOKEN;
	struct thread *me = rt_enter();
	enum wait_result progress, result = await(me, t, until_ns, &progress);

	rt_leave(me);
	return result;
}

int join_whole(struct thread *t, uint64_t until_ns, void **ret_value, enum wait_result *ret_why)
{
	struct thread *me = rt_enter();
	int err = claim(me, t);

	if (likely(!err)) {
		*ret_why = await(me, t, until_ns, ret_why);
		if (likely(*ret_why == WAIT_WOKEN)) {
			*ret_value = t->result;
			sched_recycle(t);
		} else {
			unclaim(me, t);
		}
	}
	rt_leave(me);
	return err;
}

int join_detach(struct thread *t)
{
	uint32_t life = load_acquire(&t->life);

	if (life & LIFE_REAPED)
		return life & LIFE_DETACHED ? EINVAL : ESRCH;
	struct thread *me = rt_enter();
	uint32_t was = change(me, t, LIFE_DETACHED, true);
	bool is_over = was & (LIFE_DETACHED | LIFE_REAPED);

	if (!is_over && (was & LIFE_EXITED) && !(was & LIFE_JOINING))
		sched_recycle(t);
	rt_leave(me);
	return is_over ? EINVAL : 0;
}

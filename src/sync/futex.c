// SPDX-License-Identifier: BSD-2-Clause
/*
 * The words are the program's, and their pages may be missing at any time, to come from a slow disk or from another
 * thread of ours (userfaultfd).  So each is looked at outside the runtime, where a fault is a block like any other;
 * inside, with the bucket's lock, others would wait for that lock, and nobody may take the vproc over.  What was seen
 * holds if the bucket's turn is still the same once it is locked: a wake comes after its change of the word, and ends
 * the turn.  (FUTEX_WAKE_OP's second word is touched outside, and changed with the lock.)
 *
 * futex.turn   waiter: read the turn, read the word, lock, read the turn; waker: change the word, lock, end the turn
 */
#include "futex.h"

#include <errno.h>
#include <linux/futex.h>

/* wait_arg 0 would be a waiter for no bits at all; bits fit, and this one is set for everybody. */
#define ANY_BIT (UINT64_C(1) << 32)

/* True with the bucket locked and its turn ended, if nobody else has done that since the turn was `turn`. */
static bool keep_turn(struct bucket *b, uint32_t turn)
{
	if (lot_turn(b) != turn)
		return false;
	lot_end_turn(b);
	return true;
}

/* Queues me if *word == value; WAIT_AGAIN when it was not. */
enum wait_result futex_wait(const struct au32 *word, uint32_t value, uint32_t bits, uint64_t deadline_ns)
{
	struct bucket *b = lot_bucket(word);
	enum wait_result why;

	for (;;) {
		uint32_t turn = lot_turn(b);	/* pairs: futex.turn */

		if (load_acquire(word) != value)
			return WAIT_AGAIN;
		struct thread *me = rt_enter();

		lot_begin(me, word, WAIT_FUTEX, LOT_SIGNALS);
		if (keep_turn(b, turn)) {
			me->wait_arg = ANY_BIT | bits;
			lot_queue(me, b);
			why = lot_sleep(me, deadline_ns);
			rt_leave(me);
			return why;
		}
		lot_abort(me, b);
		rt_leave(me);
	}
}

int futex_wake(const struct au32 *word, int n, uint32_t bits)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(word);
	struct list woken;
	int count;

	list_init(&woken);
	lot_end_turn(b);
	count = lot_take_some(b, word, bits, n, &woken);
	lot_unlock(b);
	lot_unpark_all(&woken);
	rt_leave(me);
	return count;
}

/* Both buckets are locked. */
static int requeue(struct futex_two *two, struct bucket *from_b, struct bucket *to_b, struct list *woken)
{
	int count = lot_take_some(from_b, two->from, 0, two->wake, woken);
	int moved = lot_move_some(from_b, two->from, to_b, two->to, two->move);

	two->wake -= count;
	two->move -= moved;
	return count + moved;
}

int futex_requeue(struct futex_two *two)
{
	struct bucket *from_b = lot_bucket(two->from), *to_b;
	int count = -EAGAIN;

	while (count == -EAGAIN) {
		uint32_t turn = lot_turn(from_b);	/* pairs: futex.turn */

		if (two->compares && load_acquire(two->from) != two->value)
			break;
		struct thread *me = rt_enter();
		struct list woken;

		list_init(&woken);
		lot_lock_two(two->from, two->to, &from_b, &to_b);
		if (keep_turn(from_b, turn))
			count = requeue(two, from_b, to_b, &woken);
		lot_unlock_two(from_b, to_b);
		lot_unpark_all(&woken);
		rt_leave(me);
	}
	return count;
}

static int sign_extend_12(uint32_t x)
{
	return (int)(x << 20) >> 20;
}

/* Applies the operation; *ret_old is what *word was. */
static int apply(struct au32 *word, uint32_t op, uint32_t *ret_old)
{
	uint32_t arg = (uint32_t)sign_extend_12(op >> 12 & 0xfff);
	uint32_t shifted = op >> 28 & FUTEX_OP_OPARG_SHIFT ? UINT32_C(1) << (arg & 31) : arg;

	switch (op >> 28 & 7) {
	case FUTEX_OP_SET:
		*ret_old = xchg_seq_cst(word, shifted);
		return 0;
	case FUTEX_OP_ADD:
		*ret_old = fetch_add(word, shifted);
		return 0;
	case FUTEX_OP_OR:
		*ret_old = fetch_or(word, shifted);
		return 0;
	case FUTEX_OP_ANDN:
		*ret_old = fetch_and(word, ~shifted);
		return 0;
	case FUTEX_OP_XOR:
		*ret_old = atomic_fetch_xor_explicit(&word->v, shifted, memory_order_seq_cst);
		return 0;
	default:
		return -ENOSYS;
	}
}

/* 1, 0 or -ENOSYS. */
static int compare(uint32_t word, uint32_t op)
{
	int old = (int)word, arg = sign_extend_12(op & 0xfff);

	switch (op >> 24 & 15) {
	case FUTEX_OP_CMP_EQ:
		return old == arg;
	case FUTEX_OP_CMP_NE:
		return old != arg;
	case FUTEX_OP_CMP_LT:
		return old < arg;
	case FUTEX_OP_CMP_LE:
		return old <= arg;
	case FUTEX_OP_CMP_GT:
		return old > arg;
	case FUTEX_OP_CMP_GE:
		return old >= arg;
	default:
		return -ENOSYS;
	}
}

int futex_wake_op(struct futex_op *f)
{
	fetch_or(f->to, 0);		/* touched, to be written */
	struct thread *me = rt_enter();
	struct bucket *b, *to_b;
	struct list woken;
	uint32_t old = 0;
	int count, second = 0, woken_to = 0;

	list_init(&woken);
	lot_lock_two(f->word, f->to, &b, &to_b);
	lot_end_turn(b);
	lot_end_turn(to_b);
	count = apply(f->to, f->op, &old);
	if (!count)
		second = compare(old, f->op);
	if (!count && second < 0)
		count = second;
	if (!count) {
		count = lot_take_some(b, f->word, 0, f->n, &woken);
		if (second)
			woken_to = lot_take_some(to_b, f->to, 0, f->n_to, &woken);
		f->n -= count;
		f->n_to = second ? f->n_to - woken_to : 0;
		count += woken_to;
	}
	lot_unlock_two(b, to_b);
	lot_unpark_all(&woken);
	rt_leave(me);
	return count;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The words are the program's, and nothing says that anybody has touched them before: their pages may be missing, and
 * come from a slow disk or from another thread of ours (userfaultfd).  Each word is touched outside the runtime first,
 * where a fault is a block like any other; inside, others would wait for the bucket's lock, and nobody may take the
 * vproc over.  So they do still where a page goes between the two looks.
 */
#include "futex.h"

#include <errno.h>
#include <linux/futex.h>

/* wait_arg 0 would be a waiter for no bits at all; bits fit, and this one is set for everybody. */
#define ANY_BIT (UINT64_C(1) << 32)

enum wait_result futex_wait(const struct au32 *word, uint32_t value, uint32_t bits, uint64_t deadline_ns)
{
	if (load_relaxed(word) != value)	/* touched; what counts is the look under the lock */
		return WAIT_AGAIN;
	struct thread *me = rt_enter();
	struct bucket *b = lot_begin(me, word, WAIT_FUTEX, LOT_SIGNALS);
	enum wait_result why = WAIT_AGAIN;

	if (load_seq_cst(word) != value) {
		lot_abort(me, b);
	} else {
		me->wait_arg = ANY_BIT | bits;
		lot_queue(me, b);
		why = lot_sleep(me, deadline_ns);
	}
	rt_leave(me);
	return why;
}

int futex_wake(const struct au32 *word, int n, uint32_t bits)
{
	struct thread *me = rt_enter();
	int count = lot_wake_bits(word, bits, n);

	rt_leave(me);
	return count;
}

int futex_requeue(struct futex_two *two)
{
	if (two->compares && load_relaxed(two->from) != two->value)	/* touched, as in futex_wait */
		return -EAGAIN;
	struct thread *me = rt_enter();
	struct bucket *from_b, *to_b;
	struct list woken;
	int count = -EAGAIN;

	list_init(&woken);
	lot_lock_two(two->from, two->to, &from_b, &to_b);
	if (!two->compares || load_seq_cst(two->from) == two->value) {
		int moved;

		count = lot_take_some(from_b, two->from, 0, two->wake, &woken);
		moved = lot_move_some(from_b, two->from, to_b, two->to, two->move);
		two->wake -= count;
		two->move -= moved;
		count += moved;
	}
	lot_unlock_two(from_b, to_b);
	lot_unpark_all(&woken);
	rt_leave(me);
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

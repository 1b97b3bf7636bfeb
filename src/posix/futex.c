// SPDX-License-Identifier: BSD-2-Clause
/*
 * syscall(): libraries that have locks of their own (Rust's standard library, libstdc++'s atomic
 * waits, jemalloc, abseil) sleep and wake through it.
 *
 * Futex operations on private words go to the parking lot, all of them from load time on, so that a
 * waiter is where its waker looks; those on shared words, and on priority-inheriting ones, go to the
 * kernel; but a wait on a shared word parks where an io_uring can wait in its place.  A library that
 * waits by an inline system call and wakes through this function, or the other way round, would miss its
 * wake-ups; none is known, and libgomp's inline calls all come here (openmp.c).
 *
 * A bad address is found here by a fault, not by EFAULT.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <unistd.h>

#include "../sys/sys.h"
#include "../sync/deadline.h"
#include "../sync/futex.h"
#include "block.h"
#include "bynumber.h"
#include "rawcall.h"
#include "real.h"
#include "shared.h"
#include "signal.h"

enum { SYS_FUTEX_WAKE = 454, SYS_FUTEX_WAIT = 455 };	/* Linux 6.7; on every CPU */

struct futex_call {
	struct au32 *word;
	int op;
	uint32_t value;
	const struct timespec *timeout;	/* or a number */
	struct au32 *word2;
	uint32_t value3;
};

static struct futex_call call_of(const long *a)
{
	return (struct futex_call){
		.word = (struct au32 *)a[0], .op = (int)a[1], .value = (uint32_t)a[2],
		.timeout = (const struct timespec *)a[3], .word2 = (struct au32 *)a[4],
		.value3 = (uint32_t)a[5],
	};
}

static __attribute__((noinline)) long to_kernel(long nr, const long *a)
{
	return arch_syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* When this wait is over; *buf holds the time.  0 or -EINVAL. */
static int futex_deadline(const struct futex_call *c, struct timespec *buf, struct deadline *ret_until)
{
	const struct timespec *ts = c->timeout;
	bool is_relative = (c->op & FUTEX_CMD_MASK) == FUTEX_WAIT;
	uint64_t ns;

	*ret_until = (struct deadline){ 0 };
	if (!ts)
		return 0;
	if (ts->tv_sec < 0 || !deadline_is_valid(ts))
		return -EINVAL;
	if (is_relative) {
		ns = ns_after(now_ns(), ns_from_timespec(ts));
		*buf = (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
	} else {
		*buf = *ts;
	}
	ret_until->at = buf;
	ret_until->is_kernels = true;
	ret_until->clock = c->op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	return 0;
}

/* As in the kernel: a handler with SA_RESTART ends a wait with a limit only. */
static bool is_interrupted(struct thread *me, uint64_t before, bool has_limit)
{
	uint64_t now = handlers_run(me);

	return has_limit ? now != before : now >> 32 != before >> 32;
}

static long do_wait(const struct futex_call *c, uint32_t bits)
{
	enum { FIRST_PAGE = 4096 };
	struct thread *me = thread_self();
	uint64_t handlers = handlers_run(me);
	struct deadline until;
	struct timespec buf;
	int err = futex_deadline(c, &buf, &until);

	if (!bits)
		return -EINVAL;
	if (!err && (uintptr_t)c->word < FIRST_PAGE)	/* other words that are not there are a fault */
		return -EFAULT;
	while (!err) {
		switch (futex_wait(c->word, c->value, bits, deadline_ns(until))) {
		case WAIT_WOKEN:
			return 0;
		case WAIT_AGAIN:
			err = -EAGAIN;
			break;
		case WAIT_TIMEOUT:
			err = deadline_was_reached(until) ? -ETIMEDOUT : 0;
			break;
		default:
			err = is_interrupted(me, handlers, until.at) ? -EINTR : 0;
		}
	}
	return err;
}

/* Once, among the kernel's waiters: parked, or else holding a kernel thread. */
static int wait_in_kernel(struct thread *me, const struct futex_call *c, uint32_t bits, struct deadline until)
{
	const struct io_futex f = { c->word, c->value, bits, c->op & FUTEX_PRIVATE_FLAG };
	int err = may_block(me) ? -ENOSYS : io_futex_wait(&f, deadline_ns(until), LOT_SIGNALS);

	if (err != -ENOSYS)
		return err == -ETIMEDOUT && !deadline_was_reached(until) ? -EINTR : err;
	wait_begins_again(me);
	return (int)arch_syscall6(SYS_futex, (long)c->word,
				  FUTEX_WAIT_BITSET | (c->op & (FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)),
				  c->value, (long)until.at, 0, bits);
}

static long do_wait_in_kernel(struct thread *me, const struct futex_call *c, uint32_t bits)
{
	uint64_t handlers = handlers_run(me);
	struct deadline until;
	struct timespec buf;
	int err = futex_deadline(c, &buf, &until);

	if (err || !bits)
		return err ? err : -EINVAL;
	do {
		err = wait_in_kernel(me, c, bits, until);
	} while (err == -EINTR && !is_interrupted(me, handlers, until.at) && !cancel_is_due(me));
	return err;
}

long futex_in_kernel(const long *a)
{
	struct futex_call c = call_of(a);
	struct thread *me = io_parker();
	int cmd = c.op & ~FUTEX_PRIVATE_FLAG;

	if (me && cmd == FUTEX_WAIT)
		return do_wait_in_kernel(me, &c, FUTEX_BITSET_MATCH_ANY);
	if (me && (cmd & ~FUTEX_CLOCK_REALTIME) == FUTEX_WAIT_BITSET)
		return do_wait_in_kernel(me, &c, c.value3);
	return to_kernel(SYS_futex, a);
}

/* Somebody waits, or has waited, in a way that only the kernel can: for several words at once, or by a newer call. */
static struct au32 has_others;

/* At most n of those; where they are woken from the lot as well. */
static int wake_others(const struct au32 *word, int n, uint32_t bits)
{
	if (likely(!load_seq_cst(&has_others)) || n < 1)
		return 0;
	long woken = arch_syscall6(SYS_futex, (long)word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, n, 0, 0, bits);

	return woken > 0 ? (int)woken : 0;
}

/* If the word is another by now, the wake-ups of those who wait for what it was are spurious ones. */
static int requeue_others(const struct futex_two *two)
{
	if (likely(!load_seq_cst(&has_others)) || (!two->wake && !two->move))
		return 0;
	long n = arch_syscall6(SYS_futex, (long)two->from,
			       (two->compares ? FUTEX_CMP_REQUEUE : FUTEX_REQUEUE) | FUTEX_PRIVATE_FLAG, two->wake,
			       two->move, (long)two->to, two->value);

	return n == -EAGAIN ? wake_others(two->from, INT_MAX, FUTEX_BITSET_MATCH_ANY) : n > 0 ? (int)n : 0;
}

static long do_requeue(const struct futex_call *c, bool compares)
{
	struct futex_two two = {
		.from = c->word, .to = c->word2, .wake = (int)c->value,
		.move = (int)(uintptr_t)c->timeout, .compares = compares, .value = c->value3,
	};

	if (two.wake < 0 || two.move < 0)
		return -EINVAL;
	int count = futex_requeue(&two);

	return count < 0 ? count : count + requeue_others(&two);
}

/* The kernel's habit: a wake of none wakes one. */
static int at_least_one(uint32_t n)
{
	return (int)n < 1 ? 1 : (int)n;
}

static bool is_ours(int op)
{
	int cmd = op & FUTEX_CMD_MASK;

	if (!(op & FUTEX_PRIVATE_FLAG))
		return false;
	if (op & FUTEX_CLOCK_REALTIME)
		return cmd == FUTEX_WAIT_BITSET;
	return cmd == FUTEX_WAIT || cmd == FUTEX_WAKE || cmd == FUTEX_REQUEUE ||
	       cmd == FUTEX_CMP_REQUEUE || cmd == FUTEX_WAKE_OP || cmd == FUTEX_WAIT_BITSET ||
	       cmd == FUTEX_WAKE_BITSET;
}

static long do_wake(const struct futex_call *c, uint32_t bits)
{
	int most = at_least_one(c->value), woken = futex_wake(c->word, most, bits);

	return woken + wake_others(c->word, most - woken, bits ? bits : FUTEX_BITSET_MATCH_ANY);
}

static long do_wake_op(const struct futex_call *c)
{
	struct futex_op f = {
		.word = c->word, .to = c->word2, .n = at_least_one(c->value),
		.n_to = at_least_one((uint32_t)(uintptr_t)c->timeout), .op = c->value3,
	};
	int count = futex_wake_op(&f);

	if (count < 0)
		return count;
	return count + wake_others(f.word, f.n, FUTEX_BITSET_MATCH_ANY) +
	       wake_others(f.to, f.n_to, FUTEX_BITSET_MATCH_ANY);
}

/* 0 or -errno, as the kernel says before it touches the word. */
static int check_word(const struct au32 *word)
{
	if ((uintptr_t)word & 3)
		return -EINVAL;
	return (uintptr_t)word >> LOT_TAG_SHIFT ? -EFAULT : 0;
}

static bool has_two_words(const struct futex_call *c)
{
	int cmd = c->op & FUTEX_CMD_MASK;

	return cmd == FUTEX_WAKE_OP || cmd == FUTEX_REQUEUE || cmd == FUTEX_CMP_REQUEUE;
}

static long do_futex(const struct futex_call *c)
{
	int err = check_word(c->word);

	if (!err && has_two_words(c))
		err = check_word(c->word2);
	if (err)
		return err;
	switch (c->op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return do_wait(c, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAIT_BITSET:
		return do_wait(c, c->value3);
	case FUTEX_WAKE:
		return do_wake(c, 0);
	case FUTEX_WAKE_BITSET:
		return c->value3 ? do_wake(c, c->value3) : -EINVAL;
	case FUTEX_WAKE_OP:
		return do_wake_op(c);
	case FUTEX_REQUEUE:
		return do_requeue(c, false);
	default:
		return do_requeue(c, true);
	}
}

static long route_futex(const long *a)
{
	struct futex_call c = call_of(a);

	if (thread_self()->posix[POSIX_IN_VFORK])
		return to_kernel(SYS_futex, a);
	return is_ours(c.op) ? do_futex(&c) : futex_in_kernel(a);
}

/* Linux 6.7: the word, bits, how many, flags.  Those of FUTEX_WAIT are in the lot. */
static long route_wake(const long *a)
{
	enum { SIZE_32 = 2 };
	long woken = raw_call(SYS_FUTEX_WAKE, a), n = (int)a[2];

	if (woken < 0 || woken >= n || (uint32_t)a[3] != (SIZE_32 | FUTEX_PRIVATE_FLAG) ||
	    thread_self()->posix[POSIX_IN_VFORK])
		return woken;
	return woken + futex_wake((const struct au32 *)a[0], (int)(n - woken), (uint32_t)a[1]);
}

static long route(long nr, const long *a)
{
	long ret;

	switch (nr) {
	case SYS_futex:
		return route_futex(a);
	case SYS_futex_waitv:
	case SYS_FUTEX_WAIT:
		store_seq_cst(&has_others, 1);
		return raw_call(nr, a);
	case SYS_FUTEX_WAKE:
		return route_wake(a);
	case SYS_gettid:
		return gettid();
	case SYS_rseq:
		return -ENOSYS;			/* one per kernel thread, and libc has it */
	case SYS_sched_yield:
		return sched_yield();
	case SYS_exit:
		/* Ends the calling thread, not the kernel thread that happens to run it. */
		if (!thread_self()->posix[POSIX_IN_VFORK])
			posix_thread_leave((int)a[0]);
		return to_kernel(nr, a);
	default:
		return call_by_number(nr, a, &ret) ? ret : raw_call(nr, a);
	}
}

EXPORT long syscall(long nr, ...)
{
	va_list ap;
	long a[6], ret;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	ret = route(nr, a);
	if ((unsigned long)ret > -4096UL) {
		errno = (int)-ret;
		return -1;
	}
	return ret;
}

/* Where a library calls the kernel in its own text, and was made to call this: openmp.c.  -errno, as the kernel. */
__attribute__((visibility("hidden"))) long inline_call(long nr, const long *args);
long inline_call(long nr, const long *args)
{
	return route(nr, args);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's futex operations on private words, in the parking lot: the same answers, but no
 * kernel thread is held.  Each returns a number or -errno.  Outside the runtime.
 */
#ifndef UPCALL_FUTEX_H
#define UPCALL_FUTEX_H

#include "lot.h"

struct futex_two {
	const struct au32 *from, *to;
	int wake, move;			/* how many; afterwards, how many there were too few */
	bool compares;
	uint32_t value;			/* *from must equal it, if compares */
};

/* FUTEX_WAKE_OP: `op` is its encoded operation on *to. */
struct futex_op {
	const struct au32 *word;
	struct au32 *to;
	int n, n_to;			/* how many; afterwards, how many there were too few */
	uint32_t op;
};

#pragma GCC visibility push(hidden)
enum wait_result futex_wait(const struct au32 *word, uint32_t value, uint32_t bits, uint64_t deadline_ns);
int futex_wake(const struct au32 *word, int n, uint32_t bits);
int futex_requeue(struct futex_two *two);
int futex_wake_op(struct futex_op *f);
#pragma GCC visibility pop

#endif

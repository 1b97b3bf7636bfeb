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
	int wake, move;			/* how many */
	bool compares;
	uint32_t value;			/* *from must equal it, if compares */
};

#pragma GCC visibility push(hidden)
enum wait_result futex_wait(const struct au32 *word, uint32_t value, uint32_t bits, uint64_t deadline_ns);
int futex_wake(const struct au32 *word, int n, uint32_t bits);
int futex_requeue(const struct futex_two *two);
/* FUTEX_WAKE_OP: `op` is its encoded operation on *to. */
int futex_wake_op(const struct au32 *word, int n, struct au32 *to, int n_to, uint32_t op);
#pragma GCC visibility pop

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Words that several kernel threads touch.
 *
 * A shared word is wrapped, so that `q->tail++` does not compile; it is read and written by verbs
 * that name the memory order.  The verbs work on any wrapper, typed pointers included:
 *
 *	struct au32 n;  APTR(struct thread) head;
 *	store_release(&n, load_relaxed(&n) + 1);
 */
#ifndef UPCALL_BASE_ATOMIC_H
#define UPCALL_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject.h"

struct au32 { _Atomic(uint32_t) v; };
struct au64 { _Atomic(uint64_t) v; };
#define APTR(type) struct { _Atomic(type *) v; }

#define load_relaxed(w)       atomic_load_explicit(&(w)->v, memory_order_relaxed)
#define load_acquire(w)       (INJECT_POINT(), atomic_load_explicit(&(w)->v, memory_order_acquire))
#define load_seq_cst(w)       (INJECT_POINT(), atomic_load_explicit(&(w)->v, memory_order_seq_cst))
#define store_relaxed(w, x)   atomic_store_explicit(&(w)->v, (x), memory_order_relaxed)
#define store_release(w, x)   (INJECT_POINT(), atomic_store_explicit(&(w)->v, (x), memory_order_release))
#define store_seq_cst(w, x)   (INJECT_POINT(), atomic_store_explicit(&(w)->v, (x), memory_order_seq_cst))
#define xchg_seq_cst(w, x)    (INJECT_POINT(), atomic_exchange_explicit(&(w)->v, (x), memory_order_seq_cst))
#define xchg_acq_rel(w, x)    (INJECT_POINT(), atomic_exchange_explicit(&(w)->v, (x), memory_order_acq_rel))
#define fetch_add(w, x)       (INJECT_POINT(), atomic_fetch_add_explicit(&(w)->v, (x), memory_order_seq_cst))
#define fetch_sub(w, x)       (INJECT_POINT(), atomic_fetch_sub_explicit(&(w)->v, (x), memory_order_seq_cst))
#define fetch_or(w, x)        (INJECT_POINT(), atomic_fetch_or_explicit(&(w)->v, (x), memory_order_seq_cst))
#define fetch_and(w, x)       (INJECT_POINT(), atomic_fetch_and_explicit(&(w)->v, (x), memory_order_seq_cst))
/* On failure *(expected) is what was found. */
#define cas_seq_cst(w, expected, x) \
	(INJECT_POINT(), atomic_compare_exchange_strong_explicit(&(w)->v, (expected), (x), \
						memory_order_seq_cst, memory_order_seq_cst))
#define cas_acquire(w, expected, x) \
	(INJECT_POINT(), atomic_compare_exchange_strong_explicit(&(w)->v, (expected), (x), \
						memory_order_acquire, memory_order_relaxed))
#define cas_release(w, expected, x) \
	(INJECT_POINT(), atomic_compare_exchange_strong_explicit(&(w)->v, (expected), (x), \
						memory_order_release, memory_order_relaxed))
/* A statistics word with one writer: a plain add that readers elsewhere see untorn. */
#define count_up(w)           store_relaxed((w), load_relaxed(w) + 1)
#define count_add(w, n)       store_relaxed((w), load_relaxed(w) + (n))

#define fence_seq_cst()       atomic_thread_fence(memory_order_seq_cst)
#define compiler_barrier()    atomic_signal_fence(memory_order_seq_cst)

#define likely(x)    __builtin_expect(!!(x), 1)
#define unlikely(x)  __builtin_expect(!!(x), 0)

/*
 * A hot path is one function with everything that it calls inlined (FLAT), but what is rarely
 * called (COLD): a call more costs as much as the work of the functions that it passes.
 */
#define FLAT __attribute__((flatten, noinline))
#define COLD __attribute__((noinline, cold))

#endif

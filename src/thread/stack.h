// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks: slabs of equal slots, one mapping a slab, handed out and taken back whole.
 *
 *	low                                                            high
 *	| guard | usable stack .................. TLS block | descriptor |
 *
 * The guard costs no map entry where the kernel has MADV_GUARD_INSTALL (6.13); elsewhere it is an
 * mprotect, within a budget of the map-count limit, and beyond that none.  Pages are touched
 * lazily; the top page holds what a sleeping thread needs.  A slot keeps its descriptor and TLS
 * block while it waits in its class's free list for the next thread of that size.  Bare threads, which
 * have no block, have classes of their own.
 */
#ifndef UPCALL_STACK_H
#define UPCALL_STACK_H

#include "thread.h"

#pragma GCC visibility push(hidden)
void stack_init(bool use_guard_advice);
/* A warm descriptor (its tls set) or a fresh zeroed one (tls NULL) with its stack fields filled in. */
struct thread *stack_get(size_t stack_bytes, size_t guard_bytes, bool is_bare);
void stack_put(struct thread *t);
/* A forked child: libc has dropped every other thread's block, so none is warm any more. */
void stack_fork_child(void);
#pragma GCC visibility pop

#endif

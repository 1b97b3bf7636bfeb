// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks: slabs of equal slots, one mapping a slab, handed out and taken back whole.
 *
 *	low                                                            high
 *	| guard | usable stack .................. TLS block | descriptor |
 *
 * The guard costs no map entry where the kernel has MADV_GUARD_INSTALL (6.13); elsewhere it is an
 * mprotect, within a budget of the map-count limit, and beyond that none.  Pages are touched
 * lazily, but for the top ones where threads are made by the hundred; those hold what a sleeping
 * thread needs.  A slot keeps its descriptor and TLS
 * block while it waits in its class's free list for the next thread of that size.  Bare threads, which
 * have no block, have classes of their own.
 */
#ifndef UPCALL_STACK_H
#define UPCALL_STACK_H

#include "thread.h"

#pragma GCC visibility push(hidden)
void stack_init(bool use_guard_advice);
/* Before the first thread, outside the runtime: do they have to be executable? */
void stack_start(void);
/* mlockall: what nobody uses yet goes, and no more is mapped than is soon used; or that is over.  What was so before. */
bool stack_lock(bool locks);
/* NULL: there are too many. */
struct stack_class *stack_class_of(size_t stack_bytes, size_t guard_bytes, bool is_bare);
/*
 * A warm descriptor (its tls set) or a fresh zeroed one (tls NULL) with its stack fields filled in; of a larger class,
 * where there is no memory.  NULL: nor is there such a one, or c is.
 */
struct thread *stack_get(struct stack_class *c);
void stack_put(struct thread *t);
/*
 * Used ones of one class, so many at a time, linked by free_next; nobody walks along them, which would fetch a
 * cache line of each.  NULL: there is no such chain.
 */
enum { STACK_CHAIN = 32 };
struct thread *stack_get_chain(struct stack_class *c);
void stack_put_chain(struct thread *first);
/*
 * Ended ones that are in no list but this, linked by free_next: memory that lies deep in their stacks goes back to the
 * kernel, if so much may lie there that it is worth that.
 */
bool stack_is_worth_trimming(const struct thread *first);
void stack_trim(struct thread *first);
/* The same for what stack_put has put singly, when that is many or however few it is. */
void stack_trim_single(struct stack_class *c);
void stack_trim_all_single(void);
void stack_put_alone(struct thread *first, struct thread *last);	/* in a forked child: nobody else has a lock */
/* A forked child: libc has dropped every other thread's block, so none is warm any more. */
void stack_fork_child(void);
#pragma GCC visibility pop

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS blocks: glibc's own, so that everything in libc that looks at the current thread is right.
 *
 * A block is harvested: the real pthread_create makes a kernel thread on a stack of ours, which
 * says where its block is and leaves by a bare exit.  The block, linked into libc's lists under
 * libc's lock, is ours for ever; it is pooled with its stack and reused.  Nothing of its layout
 * needs to be known but what libc exports for debuggers (_thread_db_*).
 */
#ifndef UPCALL_TLS_H
#define UPCALL_TLS_H

#include "thread.h"

#pragma GCC visibility push(hidden)
void tls_init(void);
/* Has libc what harvesting takes?  A libpthread that was stripped of its symbols has not. */
bool tls_is_known(void);
/* Fills in t->tls and t->stack_start for a stack of [low, low + bytes).  0 or -EAGAIN. */
int tls_harvest(struct thread *t, void *low, size_t bytes);
/* tls_copy.c: the same from a model, without a kernel thread; false: harvest. */
void tls_copy_init(bool is_allowed);
bool tls_copy(struct thread *t, void *low, size_t bytes);
void tls_copy_learn(struct thread *t, void *low, size_t bytes);
/* tls_reset.c: makes a used block look new, as libc does when it reuses a stack. */
void tls_reset_init(void (*init)(void *, bool), ptrdiff_t kept_offset, size_t kept_bytes);
void tls_reset(struct thread *t);
/* Whoever held their locks stayed in the parent. */
void tls_copy_fork_child(void);
void tls_reset_fork_child(void);
uint64_t tls_modules(void);	/* changes when a module with TLS comes or goes; always, where that cannot be known */
/* In a block that is not the caller's: which thread it belongs to, and its tid. */
void tls_set_self(void *tls, struct thread *t);
struct thread *tls_get_self(const void *tls);
void tls_set_tid(void *tls, int tid);
int tls_get_tid(const void *tls);
void tls_know_policy(void *tls, bool is_known);	/* libc need not ask for that of the thread */
/* The thread runs on that stack, which libc compares frames to as it unwinds; else it is where the block is. */
void tls_set_stack(void *tls, void *low, size_t bytes);
void tls_forget_rseq(void *tls);	/* no kernel thread is registered there */
void *tls_rseq(void *tls);		/* where libc registers one, or NULL */
/* The kernel is to release the robust locks of this block if its kernel thread is killed. */
void tls_register_robust(void *tls);
/* Does its thread hold one? */
bool tls_has_robust(void *tls);
/* Those that the kernel thread `from` holds say that `to` does. */
void tls_rename_robust(void *tls, int from, int to);
/* At the end of a thread: its robust locks tell the next owner (EOWNERDEAD). */
void tls_release_robust(void *tls, bool may_ask);	/* may_ask: system calls that libc does not make */
/* On the thread itself, at its start and at its end. */
void tls_enter(void);
bool tls_may_have_error(void);	/* for dlerror to tell, or to free: false if surely not */
void tls_run_destructors(void);
/* In a key's destructor that libc calls in its first round: all that libc would call after it. */
void tls_run_destructors_after(unsigned key);
/* Offset and size of libc's struct pthread, as debuggers know them. */
size_t tls_pthread_size(void);
/* libc makes no thread on a stack of less, as the TLS of the program and its libraries is there too. */
size_t tls_least_stack(void);
#pragma GCC visibility pop

#endif

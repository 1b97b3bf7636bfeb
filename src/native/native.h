// SPDX-License-Identifier: BSD-2-Clause
/*
 * The native API: <upcall/upcall.h> in terms of sched, sync and io.
 *
 * It is in two libraries: libupcall.so, for programs that are linked with it, and
 * libupcall-pthread.so, so that such a program under `upcall run` has one runtime in the process
 * (the preloaded one, which is found first).  What differs is start.c's business: there posix starts
 * threads and has more to do at their ends, which sched_hooks says.
 *
 * Layouts that users embed are private to the file that implements them; each says that it fits.
 */
#ifndef UPCALL_NATIVE_H
#define UPCALL_NATIVE_H

#include <errno.h>
#include <upcall/upcall.h>

#include "../sched/sched.h"
#include "../sync/lot.h"

#define ASSERT_FITS(inside, outside) \
	_Static_assert(sizeof(inside) <= sizeof(outside) && _Alignof(inside) <= _Alignof(outside), "layout")

static inline struct thread *thread_of_handle(upcall_t handle)
{
	return (struct thread *)(void *)handle;
}

static inline upcall_t handle_of(struct thread *t)
{
	return (upcall_t)(void *)t;
}

/* What a wait that was not woken returns. */
static inline int error_of(enum wait_result why)
{
	return why == WAIT_TIMEOUT ? -ETIMEDOUT : why == WAIT_CANCEL ? -ECANCELED : 0;
}

/*
 * Of a call that succeeds: what its last wait said, if that ended before what it waited for came.  A cancellation,
 * which is told once, is for the next wait to tell then.
 */
static inline void native_keep_cancel(int err)
{
	if (unlikely(err == -ECANCELED))
		fetch_or(&thread_self()->pending, PEND_CANCEL);
}

#pragma GCC visibility push(hidden)
/* What a caller's structure says, also one that is older or newer than ours.  0, -EINVAL or -E2BIG. */
int native_options(void *ours, size_t our_bytes, const void *theirs);
/* start.c: threads exist from here on; 0 or -errno. */
int native_start(void);
extern void (*native_signals_start)(void);	/* by the library that has no posix room: signals.c */
void signals_start(void);
/* In a forked child, before threads are said not to have started: who held this room's locks is not there. */
void native_fork_child(void);
void native_key_fork_child(void);
/*
 * In a child of vfork's, or of a bare clone's?  It runs with its parent's memory, or a copy of it, but has a kernel thread
 * and descriptors of its own.  A system call.
 */
bool native_is_elsewhere(void);
/* Is what is remembered of fd the caller's to forget?  Asked of the kernel only where that is anything. */
bool native_keeps_book(int fd);
/* frame.c: where a new thread begins, and a bare one. */
void native_first_frame(void);
void native_bare_frame(void);
/* On the thread itself: its end. */
_Noreturn void native_end(struct thread *me);
/* thread.c: gives it the kernel thread that it was made with; false: there is none, and its creator knows. */
bool native_bind(struct thread *me);
/* key.c: the destructors of the calling thread's values. */
void native_run_destructors(struct thread *me);
#pragma GCC visibility pop

#endif

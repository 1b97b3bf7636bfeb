// SPDX-License-Identifier: BSD-2-Clause
/* Waits in libc's own code that hold no kernel thread: shared.c. */
#ifndef UPCALL_POSIX_SHARED_H
#define UPCALL_POSIX_SHARED_H

#include "signal.h"

struct shared_trap {
	struct thread *me;	/* NULL: nothing was begun */
	bool blocked_it;	/* the thread's mask has SIGSYS, which must not be blocked meanwhile */
};

#pragma GCC visibility push(hidden)
/*
 * The caller's system calls come to us from here on, if it is a thread that can park and the kernel
 * can wait in its place; else the call simply blocks.
 */
struct shared_trap shared_trap_begin(void);
void shared_trap_end(struct shared_trap *trap);
/* What `me` began, if anything, is over: a handler is going to run, or it parks. */
void shared_trap_leave(struct thread *me);
/* The kernel's handler of SIGSYS while it is wanted. */
void shared_on_trap(int sig, siginfo_t *info, void *uc);
bool shared_is_wanted(void);
void shared_fork_child(void);

/* futex(2) on words whose wakers are in the kernel: parks where that is possible. */
long futex_in_kernel(const long *args);
#pragma GCC visibility pop

static inline void shared_trap_off(struct thread *me)
{
	if (unlikely(word_get(me, PW_FLAGS) & PF_TRAPS))
		shared_trap_leave(me);
}

/* A call of libc's that may wait for a futex.  The cleanup is for a cancellation. */
#define SHARED_WAIT(call) \
	({ \
		__attribute__((cleanup(shared_trap_end), unused)) struct shared_trap trap_ = \
			shared_trap_begin(); \
		(call); \
	})

#endif

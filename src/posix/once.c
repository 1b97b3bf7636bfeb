// SPDX-License-Identifier: BSD-2-Clause
/*
 * pthread_once.  A routine may be left by cancellation, pthread_exit or a C++ exception; the once
 * is then as if it had never been tried.
 *
 * All three unwind the stack.  A language's cleanup would need its runtime library in every
 * process; all that is needed is a personality routine of our own on the one frame that called the
 * routine.  The unwinder calls it when it passes that frame, from the inside out, so the innermost
 * entry of the thread's list of running onces is the one that is being left.
 *
 * Where it meets a frame that it cannot read, an exception has no way out, but libc's cancellation
 * and exit go on: by its list of jump buffers, on which every running once has one for that reason.
 */
#include "once.h"

#include <setjmp.h>
#include <stdint.h>
#include <unwind.h>

#include "../sync/once.h"
#include "alias.h"
#include "posix.h"
#include "real.h"

/* On the stack of the thread that runs the routine, listed in its posix[POSIX_ONCE]. */
struct running {
	struct au32 *word;
	struct running *outer;
	__pthread_unwind_buf_t unwind;
};

enum { POSIX_ONCE = 12 };

static void push(struct running *r)
{
	void **top = &thread_self()->posix[POSIX_ONCE];

	r->outer = *top;
	*top = r;
}

static void pop(bool is_done)
{
	void **top = &thread_self()->posix[POSIX_ONCE];
	struct running *r = *top;

	*top = r->outer;
	__pthread_unregister_cancel(&r->unwind);
	once_end(r->word, is_done);
}

/* Named in run() only by assembly, which link-time optimisation does not read. */
__attribute__((visibility("hidden"), used, externally_visible)) _Unwind_Reason_Code
once_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
		 struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
	(void)version, (void)class, (void)exception, (void)context;
	if (actions & _UA_CLEANUP_PHASE)
		pop(false);
	return _URC_CONTINUE_UNWIND;
}

/* False: left by way of the jump buffer; the caller's frame has no personality that would see it again. */
static __attribute__((noinline, noclone)) bool run(struct running *r, void (*routine)(void))
{
	/* libc's buffer is a jmp_buf without the signal mask, which is not saved. */
	struct __jmp_buf_tag *jump = (struct __jmp_buf_tag *)(void *)r->unwind.__cancel_jmp_buf;

	/* 0x1b: a 4-byte offset from where it stands. */
	__asm__ volatile(".cfi_personality 0x1b, once_personality");
	__asm__("" : "+r"(jump));
	push(r);
	if (unlikely(__sigsetjmp(jump, 0)))
		return false;
	__pthread_register_cancel(&r->unwind);
	routine();
	pop(true);
	return true;
}

void posix_once(pthread_once_t *once, void (*routine)(void))
{
	struct running r = { .word = (struct au32 *)once };

	if (once_begin(r.word) && !run(&r, routine)) {
		pop(false);
		__pthread_unwind_next(&r.unwind);
	}
}

EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	if (unlikely(!(load_acquire((struct au32 *)once) & ONCE_DONE)))	/* pairs: once.done */
		posix_once(once, routine);
	return 0;
}

ALIAS(__pthread_once, pthread_once);

// SPDX-License-Identifier: BSD-2-Clause
/*
 * longjmp and friends restore a signal mask by system calls of libc's own: the thread's record must
 * say the same.  setjmp and getcontext need nothing: the kernel's mask is the thread's, but for SIGURG, which they save as
 * admitted.
 */
#include <errno.h>
#include <setjmp.h>
#include <ucontext.h>

#include "alias.h"
#include "bind.h"
#include "real.h"
#include "signal.h"

/*
 * A handler that is left by a jump has run, too, and leaves its mask behind if none was saved (`mask` NULL).  It may
 * have come where the thread was about to do what others wish.
 */
static void leave_by_jump(const sigset_t *mask)
{
	struct thread *me = own_self();

	if (!me)
		return;
	if (mask && posix_mask(me) != (mask_of(mask) & ~SIG_NEVER))
		posix_mask_set(me, mask_of(mask));
	if (me->kind == THREAD_USER)
		bind_as_wished(me);
}

static const sigset_t *saved_mask(const struct __jmp_buf_tag *env)
{
	return env->__mask_was_saved ? (const sigset_t *)&env->__saved_mask : NULL;
}

EXPORT void siglongjmp(sigjmp_buf env, int value)
{
	leave_by_jump(saved_mask(env));
	REAL(siglongjmp)(env, value);
	__builtin_unreachable();
}
ALIAS(longjmp, siglongjmp);
ALIAS(_longjmp, siglongjmp);

extern void __longjmp_chk(sigjmp_buf env, int value) __attribute__((noreturn));
EXPORT void __longjmp_chk(sigjmp_buf env, int value)
{
	leave_by_jump(saved_mask(env));
	REAL(__longjmp_chk)(env, value);
	__builtin_unreachable();
}

EXPORT int setcontext(const ucontext_t *to)
{
	leave_by_jump(&to->uc_sigmask);
	if (user_self() && (mask_of(&to->uc_sigmask) & SIG_BIT(SIGURG)))
		*(uint64_t *)&((ucontext_t *)to)->uc_sigmask &= ~SIG_BIT(SIGURG);	/* noted, and no kernel thread's */
	return REAL(setcontext)(to);
}

EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	struct thread *me = own_self();
	volatile bool is_back = false;

	if (!me || me->kmask == mask_of(&to->uc_sigmask))
		return REAL(swapcontext)(from, to);
	/* libc would save the new mask, or leave us with a wrong one in between. */
	if (getcontext(from))
		return -1;
	if (!is_back) {
		is_back = true;
		return setcontext(to);
	}
	return 0;
}

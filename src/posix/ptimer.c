// SPDX-License-Identifier: BSD-2-Clause
/*
 * POSIX timers that name a thread: by its tid (SIGEV_THREAD_ID) or by its CPU clock.  The kernel
 * aims such a timer at a kernel thread: the thread gets one of its own.  Overruns are counted in our
 * queues too.
 *
 * Before glibc 2.34 a timer_t points to libc's note of the timer, and libc's thread for SIGEV_THREAD
 * is made by the pthread_create that programs call, and must be a kernel thread.
 */
#include <errno.h>
#include <limits.h>
#include <time.h>

#include "../thread/inside.h"
#include "bind.h"
#include "posix.h"
#include "real.h"
#include "signal.h"

static bool names_own_clock(clockid_t clock, struct thread *me)
{
	clockid_t own;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return true;
	return clock < 0 && pthread_getcpuclockid((pthread_t)me->tls, &own) == 0 && own == clock;
}

/* The kernel's number of a timer for which libc has no thread, else -1. */
static int kernels_number(timer_t timer)
{
	const int *note = (const int *)timer;		/* sigev_notify, number */

	if ((uintptr_t)timer <= INT_MAX)
		return (int)(intptr_t)timer;
	return inside_has_libpthread() && note[0] != SIGEV_THREAD ? note[1] : -1;
}

bool ptimer_makes_helper(void)
{
	struct thread *me = self_ptr;

	return me && word_get(me, PW_FLAGS) & PF_MAKES_HELPER;
}

static int create(clockid_t clock, struct sigevent *event, timer_t *ret_timer)
{
	struct thread *me = thread_self();
	int err;

	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_MAKES_HELPER);
	err = REAL(timer_create)(clock, event, ret_timer);
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_MAKES_HELPER);
	return err;
}

static int kernel_thread_for(struct thread *me, struct thread *t)
{
	if (t->kind != THREAD_USER)
		return posix_kernel_tid(t);
	return t != me ? bind_other(t) : bind_self() ? 0 : posix_kernel_tid(t);
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict ret_timer)
{
	struct thread *me = bind_find(0);
	struct sigevent e;

	if (!me)
		return create(clock, event, ret_timer);
	if (names_own_clock(clock, me)) {
		errno = bind_self();
		if (errno)
			return -1;
		clock = CLOCK_THREAD_CPUTIME_ID;
	}
	if (event && event->sigev_notify == SIGEV_THREAD_ID) {
		struct thread *t = bind_find(event->_sigev_un._tid);
		int tid = t ? kernel_thread_for(me, t) : 0;

		if (t && !tid) {
			errno = EAGAIN;
			return -1;
		}
		e = *event;
		if (t)
			e._sigev_un._tid = tid;
		event = &e;
	}
	int err = create(clock, event, ret_timer), number = err ? -1 : kernels_number(*ret_timer);

	if (number >= 0)
		sigqueue_forget_overruns(number);
	return err;
}

EXPORT int timer_getoverrun(timer_t timer)
{
	int n = REAL(timer_getoverrun)(timer), number = n < 0 ? -1 : kernels_number(timer);

	return number < 0 ? n : sigqueue_overruns(number, n);
}

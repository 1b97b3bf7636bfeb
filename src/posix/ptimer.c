// SPDX-License-Identifier: BSD-2-Clause
/*
 * POSIX timers that name a thread: by its tid (SIGEV_THREAD_ID) or by its CPU clock.  The kernel
 * aims such a timer at a kernel thread: the thread gets one of its own.  Overruns are counted in our
 * queues too.
 */
#include <errno.h>
#include <limits.h>
#include <time.h>

#include "bind.h"
#include "real.h"
#include "signal.h"

static bool names_own_clock(clockid_t clock, struct thread *me)
{
	clockid_t own;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return true;
	return clock < 0 && pthread_getcpuclockid((pthread_t)me->tls, &own) == 0 && own == clock;
}

/* Not one for which libc has a thread: then what it calls a timer is not the kernel's number. */
static bool is_kernels(timer_t timer)
{
	return (uintptr_t)timer <= INT_MAX;
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
		return REAL(timer_create)(clock, event, ret_timer);
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
	int err = REAL(timer_create)(clock, event, ret_timer);

	if (!err && is_kernels(*ret_timer))
		sigqueue_forget_overruns((int)(intptr_t)*ret_timer);
	return err;
}

EXPORT int timer_getoverrun(timer_t timer)
{
	int n = REAL(timer_getoverrun)(timer);

	return n < 0 || !is_kernels(timer) ? n : sigqueue_overruns((int)(intptr_t)timer, n);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * POSIX timers that name a thread: by its tid (SIGEV_THREAD_ID) or by its CPU clock.  The kernel
 * aims such a timer at a kernel thread: the thread gets one of its own.
 */
#include <errno.h>
#include <time.h>

#include "bind.h"
#include "real.h"

static bool names_own_clock(clockid_t clock, struct thread *me)
{
	clockid_t own;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return true;
	return clock < 0 && pthread_getcpuclockid((pthread_t)me->tls, &own) == 0 && own == clock;
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
	return REAL(timer_create)(clock, event, ret_timer);
}

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

/* The clock as the kernel knows it; a thread that it is of gets a kernel thread.  -EAGAIN where it cannot have one. */
static int name_clock(clockid_t *clock)
{
	bool is_own = *clock == CLOCK_THREAD_CPUTIME_ID;

	if (!is_own && !clock_is_of_tid(*clock))
		return 0;
	int tid = is_own ? 0 : clock_tid(*clock), kernels = bind_for_kernel(tid);

	if (kernels >= 0 && kernels != tid)
		*clock = clock_of_tid(kernels);
	return kernels < 0 ? -EAGAIN : 0;
}

int ptimer_name(clockid_t *clock, struct sigevent *event)
{
	int err = name_clock(clock);

	if (err || !event || event->sigev_notify != SIGEV_THREAD_ID || event->_sigev_un._tid <= 0)
		return err;
	event->_sigev_un._tid = bind_for_kernel(event->_sigev_un._tid);
	return event->_sigev_un._tid < 0 ? -EAGAIN : 0;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict ret_timer)
{
	struct sigevent e;

	if (event) {
		e = *event;
		event = &e;
	}
	int err = ptimer_name(&clock, event);

	if (err) {
		errno = -err;
		return -1;
	}
	if (!bind_find(0))
		return create(clock, event, ret_timer);
	err = create(clock, event, ret_timer);
	int number = err ? -1 : kernels_number(*ret_timer);

	if (number >= 0)
		sigqueue_forget_overruns(number);
	return err;
}

EXPORT int timer_getoverrun(timer_t timer)
{
	int n = REAL(timer_getoverrun)(timer), number = n < 0 ? -1 : kernels_number(timer);

	return number < 0 ? n : sigqueue_overruns(number, n);
}

/*
 * A library whose references have no versions, as gperftools' profiler, would get these of another age than ours: that
 * one numbers timers otherwise.
 */
EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
			 struct itimerspec *restrict old)
{
	return REAL(timer_settime)(timer, flags, value, old);
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *value)
{
	return REAL(timer_gettime)(timer, value);
}

EXPORT int timer_delete(timer_t timer)
{
	return REAL(timer_delete)(timer);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * A system call that a program makes by number, for all that is not looked at closer.
 *
 * Some fail with EINTR after any signal, SA_RESTART or not.  A signal of the runtime's own must not
 * show: the call is made again, for the time that is left.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "../sys/sys.h"
#include "block.h"
#include "rawcall.h"

static long call(long nr, const long *a)
{
	return arch_syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Which argument limits the call in milliseconds, or -1. */
static int ms_argument(long nr)
{
	switch (nr) {
#ifdef SYS_poll
	case SYS_poll:
		return 2;
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
		return 3;
	default:
		return -1;
	}
}

/* Which argument limits the call by a span of time that the kernel leaves as it is, or -1. */
static int span_argument(long nr)
{
	switch (nr) {
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		return 3;
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return 4;
	default:
		return -1;
	}
}

static uint64_t end_of(const struct timespec *span)
{
	bool is_valid = span->tv_sec >= 0 && span->tv_nsec >= 0 && span->tv_nsec < (long)NS_PER_S;
	uint64_t now = now_ns();

	if (!is_valid || (uint64_t)span->tv_sec > (NEVER - now) / NS_PER_S - 1)
		return NEVER;		/* the kernel says what is wrong with it */
	return now + (uint64_t)span->tv_sec * NS_PER_S + (uint64_t)span->tv_nsec;
}

static long repeat(struct thread *me, long nr, long *a)
{
	uint64_t before = handlers_run(me), end = NEVER;
	int limit = ms_argument(nr), span = span_argument(nr);
	struct timespec left;

	if (limit >= 0 && (int)a[limit] > 0)
		end = now_ns() + (uint64_t)(int)a[limit] * NS_PER_MS;
	if (span >= 0 && a[span] && !load_relaxed(&sched_is_confined) && sys_read_own(&left, (uintptr_t)a[span], sizeof(left)) == 0)
		end = end_of(&left);

	for (;;) {
		me->call_end = END_UNKNOWN;
		long ret = call(nr, a);

		/* close() has closed, whatever it says. */
		if (ret != -EINTR || nr == SYS_close || !was_vain(me, before))
			return ret;
		if (end == NEVER)
			continue;
		uint64_t now = now_ns(), rest = now < end ? end - now : 0;

		if (span >= 0) {
			left = (struct timespec){ (time_t)(rest / NS_PER_S), (long)(rest % NS_PER_S) };
			a[span] = (long)&left;
		} else {
			a[limit] = (long)((rest + NS_PER_MS - 1) / NS_PER_MS);
		}
	}
}

/* The kernel says how much is left, which is what the next try sleeps. */
static long repeat_sleep(struct thread *me, long nr, long *a, int span)
{
	uint64_t before = handlers_run(me);
	struct timespec left, *ret_left = (struct timespec *)a[span + 1];
	long ret;

	a[span + 1] = (long)&left;
	while ((ret = call(nr, a)) == -EINTR && handlers_run(me) == before)
		a[span] = (long)&left;
	if (ret == -EINTR && ret_left)
		*ret_left = left;
	return ret;
}

long raw_call(long nr, const long *args)
{
	struct thread *me = io_parker();
	long a[6] = { args[0], args[1], args[2], args[3], args[4], args[5] };

	if (!me)
		return call(nr, a);
	if (nr == SYS_nanosleep)
		return repeat_sleep(me, nr, a, 0);
	if (nr == SYS_clock_nanosleep && !(a[1] & TIMER_ABSTIME))
		return repeat_sleep(me, nr, a, 2);
	return repeat(me, nr, a);
}

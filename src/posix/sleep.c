// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sleeping: a timer of the runtime, no system call.
 *
 * An absolute time on a clock that can be set is looked at again when it should have come: a clock
 * set back meanwhile makes the sleep longer, one set forward does not make it shorter.
 */
#include "block.h"

#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "alias.h"
#include "bind.h"

static bool is_settable(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

static bool is_valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)NS_PER_S;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static int sleep_alone(struct thread *me, uint64_t deadline_ns)
{
	struct timespec at = timespec_of(deadline_ns);
	uint64_t before = handlers_run(me);
	int err;

	do {
		err = BLOCK(me, TIMED(clock_nanosleep)(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
	} while (err == EINTR && handlers_run(me) == before);
	return err;
}

/* 0, or EINTR when a handler ran. */
static int sleep_until(struct thread *me, uint64_t deadline_ns)
{
	uint64_t before = handlers_run(me);

	if (may_block(me) && deadline_ns != NEVER) {
		sched_trim();
		return sleep_alone(me, deadline_ns);
	}
	for (;;) {
		int err = io_sleep(deadline_ns);

		if (err == -ECANCELED)
			test_cancel();
		else if (!err)
			return 0;
		else if (handlers_run(me) != before)
			return EINTR;
	}
}

static int sleep_absolute(struct thread *me, clockid_t clock, uint64_t at_ns)
{
	uint64_t now;

	if (clock == CLOCK_MONOTONIC && !clock_is_replaced)
		return at_ns <= now_ns() ? 0 : sleep_until(me, at_ns);
	while ((now = clock_program_ns(clock)) < at_ns) {
		int err = sleep_until(me, ns_after(now_ns(), clock_wait_ns(clock, at_ns - now)));

		if (err || clock_stands_still(clock))
			return err;
	}
	return 0;
}

static int sleep_relative(struct thread *me, uint64_t ns, struct timespec *ret_rest)
{
	uint64_t deadline = ns_after(now_ns(), clock_wait_ns(CLOCK_REALTIME, ns)), now;
	int err;

	if (!ns) {
		sched_yield_now();
		return 0;
	}
	err = sleep_until(me, deadline);
	if (err && ret_rest) {
		now = now_ns();
		ns = clock_passes_ns(CLOCK_REALTIME, deadline > now ? deadline - now : 0);
		*ret_rest = timespec_of(ns);
	}
	return err;
}

/* Signals of ours do not show. */
static int sleep_in_kernel(struct thread *me, clockid_t clock, int flags, struct timespec span,
			   struct timespec *ret_rest)
{
	uint64_t before = handlers_run(me);
	int err;

	do {
		err = BLOCK(me, REAL(clock_nanosleep)(clock, flags, &span, &span));
	} while (err == EINTR && handlers_run(me) == before);
	if (err == EINTR && ret_rest && !(flags & TIMER_ABSTIME))
		*ret_rest = span;
	return err;
}

/* By t's CPU time: the kernel's clock of it began when it got its kernel thread. */
static int sleep_by_thread(struct thread *t, clockid_t clock, int flags, const struct timespec *req, struct timespec *rem)
{
	struct thread *me = self_ptr;
	int tid = t == me ? -1 : bind_for_kernel(t->tid);	/* the own one stands still */
	struct timespec now;

	if (tid < 0 || clock_gettime(clock, &now))
		return EINVAL;
	if (!(flags & TIMER_ABSTIME))
		return sleep_in_kernel(me, clock_of_tid(tid), 0, *req, rem);
	uint64_t at_ns = ns_from_timespec(req), used_ns = ns_from_timespec(&now);

	return at_ns <= used_ns ? 0 : sleep_in_kernel(me, clock_of_tid(tid), 0, timespec_of(at_ns - used_ns), NULL);
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *req, struct timespec *rem)
{
	struct thread *me = io_parker(), *t = unlikely(clock_is_of_tid(clock)) ? bind_find(clock_tid(clock)) : NULL;

	if (unlikely(t != NULL) && is_valid(req))
		return sleep_by_thread(t, clock, flags, req, rem);
	if (!me && is_valid(req) && (me = bound_waiter()))
		return sleep_in_kernel(me, clock, flags, *req, rem);
	if (!me || !is_valid(req))
		return REAL(clock_nanosleep)(clock, flags, req, rem);
	if (clock != CLOCK_MONOTONIC && !is_settable(clock))
		return sleep_in_kernel(me, clock, flags, *req, rem);
	test_cancel();
	return flags & TIMER_ABSTIME ? sleep_absolute(me, clock, ns_from_timespec(req)) :
				       sleep_relative(me, ns_from_timespec(req), rem);
}

EXPORT int nanosleep(const struct timespec *req, struct timespec *rem)
{
	int err;

	if (!io_waiter())
		return REAL(nanosleep)(req, rem);
	err = clock_nanosleep(CLOCK_MONOTONIC, 0, req, rem);
	if (err)
		errno = err;
	return err ? -1 : 0;
}

EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec ts = { .tv_sec = seconds };
	int saved_errno = errno;

	if (!io_waiter())
		return REAL(sleep)(seconds);
	if (nanosleep(&ts, &ts))
		return (unsigned)ts.tv_sec;
	errno = saved_errno;
	return 0;
}

EXPORT int usleep(useconds_t us)
{
	struct timespec ts = { us / 1000000, (long)(us % 1000000) * 1000 };

	return io_waiter() ? nanosleep(&ts, NULL) : REAL(usleep)(us);
}

EXPORT int thrd_sleep(const struct timespec *req, struct timespec *rem)
{
	int err;

	if (!io_waiter())
		return REAL(thrd_sleep)(req, rem);
	err = clock_nanosleep(CLOCK_MONOTONIC, 0, req, rem);
	return !err ? 0 : err == EINTR ? -1 : -2;
}

ALIAS(__nanosleep, nanosleep);

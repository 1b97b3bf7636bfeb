// SPDX-License-Identifier: BSD-2-Clause
/*
 * POSIX timers that name a thread: by its tid (SIGEV_THREAD_ID) or by its CPU clock.  The kernel
 * aims such a timer at a kernel thread: the thread gets one of its own, whose clock began elsewhere than what
 * clock_gettime says of the thread (cputime.c).  Overruns are counted in our queues too.
 *
 * Before glibc 2.34 a timer_t points to libc's note of the timer, and libc's thread for SIGEV_THREAD
 * is made by the pthread_create that programs call, and must be a kernel thread.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "../base/child.h"
#include "../sys/sys.h"
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

/*
 * Timers by threads' CPU clocks, of each that number + 1 and its thread's.  Numbers grow: where two have one place, the
 * older one goes by its kernel thread's clock.
 */
enum { NOTES = 256 };
static struct au64 notes[NOTES];

static struct au64 *note_of(int number)
{
	return &notes[(unsigned)number % NOTES];
}

/* A child has none of its parent's timers, and numbers its own anew. */
void ptimer_fork_child(void)
{
	zero_in_child(notes, sizeof(notes));
}

int ptimer_clock_owner(clockid_t clock)
{
	bool is_own = clock == CLOCK_THREAD_CPUTIME_ID;
	const struct thread *t = is_own || clock_is_of_tid(clock) ? bind_find(is_own ? 0 : clock_tid(clock)) : NULL;

	return t ? t->tid : 0;
}

void ptimer_note(int number, int owner)
{
	if (owner > 0)
		store_relaxed(note_of(number), ((uint64_t)number + 1) << 32 | (uint32_t)owner);	/* relaxed: who sets it knows it */
}

/*
 * The thread, with a kernel thread that it has got later, by whose clock the timer goes; or NULL.  A filter may refuse the
 * calls that it takes to look.
 */
static struct thread *noted_owner(int number)
{
	uint64_t note = number < 0 || load_relaxed(&sched_is_confined) ? 0 : load_relaxed(note_of(number));
	struct thread *t = note >> 32 == (uint64_t)number + 1 ? thread_by_tid((int)(uint32_t)note) : NULL;

	return t && t->is_one_to_one ? t : NULL;
}

/* What the kernel's clock of t will say at that time; if it is over, anything but 0, which would set no timer. */
static struct timespec in_kernels_time(struct thread *t, int kernel_tid, const struct timespec *at)
{
	uint64_t at_ns = ns_from_timespec(at), used_ns = sched_cpu_ns(t), ns = 1;

	if (at_ns > used_ns)
		ns = ns_after(sys_thread_cpu_ns(kernel_tid), at_ns - used_ns);
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

const struct itimerspec *ptimer_value(int number, int flags, const struct itimerspec *value, struct itimerspec *copy)
{
	struct thread *t = unlikely(flags & TIMER_ABSTIME) ? noted_owner(number) : NULL;

	if (likely(!t) || sys_read_own(copy, (uintptr_t)value, sizeof(*copy)))
		return value;
	const struct timespec *at = &copy->it_value;

	if (at->tv_sec < 0 || at->tv_nsec < 0 || at->tv_nsec >= (long)NS_PER_S || !(at->tv_sec | at->tv_nsec))
		return value;
	int kernel_tid = posix_kernel_tid(t);

	if (!kernel_tid)		/* it has ended, as the kernel will say; 0 would be the caller's clock */
		return value;
	copy->it_value = in_kernels_time(t, kernel_tid, at);
	return copy;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict ret_timer)
{
	struct sigevent e;

	if (event) {
		e = *event;
		event = &e;
	}
	int owner = ptimer_clock_owner(clock), err = ptimer_name(&clock, event);

	if (err) {
		errno = -err;
		return -1;
	}
	if (!bind_find(0))
		return create(clock, event, ret_timer);
	err = create(clock, event, ret_timer);
	int number = err ? -1 : kernels_number(*ret_timer);

	if (number >= 0) {
		sigqueue_forget_overruns(number);
		ptimer_note(number, owner);
	}
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
	struct itimerspec copy;

	value = ptimer_value(kernels_number(timer), flags, value, &copy);
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

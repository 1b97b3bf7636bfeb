// SPDX-License-Identifier: BSD-2-Clause
/*
 * Alarms: an activation that lost its vproc while it was blocked, and comes back outside the runtime, computes beside
 * its replacement until it is told.  perf's clock of what a kernel thread computes sends it the monitor's signal
 * ALARM_NS after it has come back, at whatever load, whether the monitor has a processor or not; and in the program's
 * code only, so that it ends no call.
 *
 * The monitor has one set for who has been blocked for a millisecond, in one go, when it looks; it looks again a millisecond
 * after it has seen one that has not, and so sees the end of shorter blocks itself.  An alarm that is set is a timer that
 * the kernel starts and stops at each switch of that thread: with alarms for all, threads that fault each 20 us got half as
 * far.  An alarm goes off once.  One that was set for a thread that came back into the runtime goes off later for nothing;
 * and what the kernel drops, as the same signal was pending already, the monitor forgets when it finds that the thread runs.
 *
 * The event lies among the clerk's descriptors, where the program cannot see it: without clerk, or perf, there is the
 * monitor's look.  There may be one for each activation, so they lie above what the clerk opens else; and above the
 * numbers that programs use, which may have asked for the same signal with one of those (F_SETSIG).
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/resource.h>

#include "../sys/probe.h"
#include "source.h"

enum { ALARM_NS = 200000, LEAST_FD = 512 };
enum { UNSET, SET, REFUSED, ENDED };

void alarm_ask(struct activation *a)
{
	uint32_t unset = UNSET;

	if (sched.has_alarms && load_relaxed(&a->alarm) == UNSET && clerk_is_there() && !sched.keeps_cpus &&
	    cas_seq_cst(&a->alarm, &unset, SET))
		clerk_ask(a, ERRAND_ALARM);
}

/* Half of what the limit allows is for the clerk's other errands. */
static int least_fd(void)
{
	struct rlimit64 limit = { 0 };

	arch_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	uint64_t half = limit.rlim_cur - limit.rlim_cur / 2;

	return half < LEAST_FD ? (int)half : LEAST_FD;
}

static void close_one(struct activation *a)
{
	if (a->alarm_tid && !a->alarm_is_closed)
		arch_syscall1(SYS_close, a->alarm_fd);
	a->alarm_is_closed = true;
}

void alarm_set(struct activation *a)
{
	if (load_seq_cst(&a->refuses_kicks))		/* pairs: kicks */
		return;
	if (a->alarm_tid != a->tid) {
		close_one(a);
		a->alarm_fd = probe_open_alarm(a->tid, PREEMPT_SIGNAL, ALARM_NS, least_fd());
		a->alarm_tid = a->alarm_fd < 0 ? 0 : a->tid;
		a->alarm_is_closed = false;
	}
	if (inject_now(INJECT_LOST, 4))
		return;
	if (!a->alarm_tid || arch_syscall3(SYS_ioctl, a->alarm_fd, PERF_EVENT_IOC_REFRESH, 1) != 0)
		store_relaxed(&a->alarm, REFUSED);
}

static bool may_go_off(const struct activation *a)
{
	uint32_t alarm = load_acquire(&a->alarm);

	return alarm != ENDED && (alarm == SET || a->alarm_tid == a->tid);
}

void alarm_end(struct activation *a)
{
	enum { NAPS = 1000, NAP_NS = 50000 };

	if (likely(!may_go_off(a)) || !clerk_is_there() || load_relaxed(&sched_is_confined))
		return;
	clerk_ask(a, ERRAND_END_ALARM);
	for (int i = 0; i < NAPS && may_go_off(a); i++)
		sys_nap(NAP_NS);
}

void alarm_drop(struct activation *a)
{
	if (may_go_off(a))
		clerk_ask(a, ERRAND_END_ALARM);
}

/* The number of its descriptor stays: what was on its way is known by that. */
void alarm_unset(struct activation *a)
{
	if (a->alarm_tid == a->tid)
		close_one(a);
	store_release(&a->alarm, ENDED);
}

bool alarm_take(struct activation *a, const siginfo_t *info)
{
	if ((info->si_code != POLL_IN && info->si_code != POLL_HUP) || a->alarm_tid != a->tid || info->si_fd != a->alarm_fd)
		return false;
	alarm_forget(a);
	return true;
}

void alarm_forget(struct activation *a)
{
	uint32_t set = SET;

	cas_seq_cst(&a->alarm, &set, UNSET);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Nobody tells: /proc is asked, about an activation whose CPU time stands still.  The answer is exact,
 * but costs a microsecond, and a descriptor for a moment: so the clerk asks, and it comes a little later.
 */
#include "source.h"

static const uint64_t a_try_ns = 200 * NS_PER_US;	/* less than that is not worth a signal */

/* Has it had the CPU since the last look?  Then it is not blocked. */
static bool has_run(struct activation *a)
{
	uint64_t cpu_ns = sys_thread_cpu_ns(a->tid);

	return xchg_acq_rel(&a->seen_cpu_ns, cpu_ns) != cpu_ns;
}

bool look_is_blocked(struct activation *a)
{
	if (load_relaxed(&sched_is_confined) || has_run(a))
		return false;
	if (!clerk_is_there())
		return sys_is_blocked(a->tid);
	if (load_acquire(&a->blocked_cpu_ns) == load_relaxed(&a->seen_cpu_ns)) {
		store_relaxed(&a->is_seen_running, 0);		/* that was of before */
		return true;
	}
	clerk_ask(a, ERRAND_LOOK);
	return false;
}

/*
 * Not the contrary: where nothing is known yet, neither is said.  One that is woken in the kernel only to wait on, as
 * for a lock that another was faster to take, has run since the last look and is blocked nevertheless; a signal would
 * take it out of the kernel's queue, where whoever gives the lock back looks for it.
 */
static bool is_running(struct activation *a)
{
	if (load_relaxed(&sched_is_confined))
		return false;
	uint64_t cpu_ns = sys_thread_cpu_ns(a->tid);

	if (xchg_acq_rel(&a->is_seen_running, 0))
		return true;
	if (cpu_ns - load_relaxed(&a->seen_cpu_ns) < a_try_ns)
		return false;
	store_relaxed(&a->seen_cpu_ns, cpu_ns);
	if (!clerk_is_there())
		return !sys_is_blocked(a->tid);
	clerk_ask(a, ERRAND_LOOK);
	monitor_hurry();		/* for its answer */
	return false;
}

static int start(unsigned patience_ms)
{
	(void)patience_ms;
	return 0;
}

static int attach(struct activation *a, bool is_self)
{
	(void)a, (void)is_self;
	return 0;
}

static void detach(struct activation *a)
{
	(void)a;
}

/* As if it had had the processor all the time for what it has computed since it was seen blocked. */
static uint64_t in_since(struct activation *a)
{
	uint64_t seen = load_acquire(&a->blocked_cpu_ns);

	return seen == NEVER || load_relaxed(&sched_is_confined) ? 0 : now_ns() - (sys_thread_cpu_ns(a->tid) - seen);
}

const struct source source_look = {
	.name = "monitor", .switch_name = "", .start = start, .attach = attach, .detach = detach,
	.is_blocked = look_is_blocked, .is_running = is_running, .in_since = in_since,
	.bound_slices = 2,
};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The monitor: one kernel thread that looks at the vprocs every few milliseconds, for what no event
 * tells: a slice used up while others wait, a timer due on a vproc that computes, a descriptor that
 * is ready while all compute, a thread that spins for one that waits, a block that nobody was armed for, an unblocked activation that runs
 * beside its replacement, an idle vproc beside a queue, computing threads that one vproc has more of
 * than another.  It rests when all vprocs were idle at a few looks, until one is not.  It uses nothing of
 * libc but the vdso's clock.  It does not wait for who is changing the processors of an activation, or opens its events,
 * and may itself wait for a processor meanwhile: all others would wait for the monitor.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "../base/child.h"
#include "../sched/point.h"
#include "../sched/policy.h"
#include "../sched/vproc.h"
#include "../trace/page.h"
#include "events.h"

struct au32 monitor_rest;
static struct au32 bell;	/* rung: look again in a millisecond */
static struct au64 looks_at_ns = { NEVER };	/* when it looks by itself; NEVER: it is about to say */
static struct au64 rested_ns;			/* the end of its last rest */

enum { QUIET_TICKS = 3, REFUSALS_MAX = 8, SPARES_MIN = 1, SPARES_MAX = 16, LOOKS_MISSED = 5 };

static const uint64_t short_tick_ns = NS_PER_MS, limits_every_ns = 250 * NS_PER_MS, limits_at_rest_ns = 2 * NS_PER_S;
static const uint64_t rest_ns = 10 * NS_PER_S;

/*
 * How it rests.  To wake it takes the processor of who begins to work 20 to 40 us, as a kernel thread that is woken on
 * another processor does, and a moment later it may all be over.  So it dozes: a timer of the kernel's sends it a signal
 * that it waits for, and who begins to work sets that to a tick from then.
 *   MONITOR_UP      it looks, or naps
 *   MONITOR_SLEEPS  on this word; who begins to work wakes it
 *   MONITOR_DOZES   who begins to work sets the timer
 *   MONITOR_DUE     that has been done
 *   MONITOR_CALLED  it has been sent the signal
 * The signal is libc's own for the cancellation of its threads, of which it is none; it is pending until it is waited for.
 */
enum { DOZE_SIGNAL = 32 };
static const uint64_t long_tick_ns = 10 * NS_PER_MS;
static bool has_timer;
static int timer;

/* Its signal finds room, where one more that is sent may not (RLIMIT_SIGPENDING). */
static int set_timer(uint64_t ns)
{
	const struct itimerspec once = { .it_value = { 0, (long)ns } };

	return (int)arch_syscall4(SYS_timer_settime, timer, 0, (long)&once, 0);
}

static void call(void)
{
	uint32_t rest = load_relaxed(&monitor_rest);

	while (rest == MONITOR_DOZES || rest == MONITOR_DUE)
		if (cas_seq_cst(&monitor_rest, &rest, MONITOR_CALLED)) {
			if (set_timer(1) != 0)		/* a child of vfork, which has no timers of its parent's */
				arch_syscall2(SYS_tkill, monitor_tid, DOZE_SIGNAL);
			return;
		}
}

void monitor_wake(void)
{
	uint32_t sleeps = MONITOR_SLEEPS;

	if (cas_seq_cst(&monitor_rest, &sleeps, MONITOR_UP)) {
		sys_futex_wake(&monitor_rest, 1);
	} else if (sleeps != MONITOR_UP && strange_begin()) {	/* else who confines the process calls it */
		call();
		strange_end();
	}
}

/* At least until then nobody else has run on a vproc. */
uint64_t monitor_rested_until(uint64_t now)
{
	uint64_t end = load_relaxed(&monitor_rest) == MONITOR_UP ? load_relaxed(&rested_ns) : now;

	return end > long_tick_ns ? end - long_tick_ns : 0;
}

void monitor_rouse(void)
{
	uint32_t dozes = MONITOR_DOZES;

	if (!cas_seq_cst(&monitor_rest, &dozes, MONITOR_DUE)) {
		if (dozes == MONITOR_SLEEPS)
			monitor_wake();
		return;
	}
	if (!strange_begin())
		return;			/* who confines the process calls it */
	if (set_timer(long_tick_ns) != 0)
		call();
	strange_end();
}

/* By who confines the process, when nobody makes strange calls any more: the monitor is to be out of that one. */
void monitor_leave_doze(void)
{
	for (; load_seq_cst(&monitor_rest) >= MONITOR_DOZES; sys_nap(NS_PER_MS / 10))
		call();
}

/* Where there can be no timer, -EAGAIN among others, or signals of libc's must do, it sleeps. */
static bool can_doze(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = DOZE_SIGNAL };

	event._sigev_un._tid = monitor_tid;
	if (!has_timer)
		has_timer = arch_syscall3(SYS_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&timer) == 0;
	return has_timer;
}

static int doze(uint64_t ns)
{
	const struct timespec limit = { (time_t)(ns / NS_PER_S), 0 };
	const uint64_t signals = UINT64_C(1) << (DOZE_SIGNAL - 1);

	return (int)arch_syscall4(SYS_rt_sigtimedwait, (long)&signals, 0, (long)&limit, 8);
}

void monitor_hurry(void)
{
	if (load_relaxed(&bell) == 0 && xchg_seq_cst(&bell, 1) == 0)
		sys_futex_wake(&bell, 1);
	if (load_seq_cst(&monitor_rest) != MONITOR_UP)
		monitor_wake();
}

void monitor_expect(uint64_t deadline_ns)
{
	if (deadline_ns < load_relaxed(&looks_at_ns))
		monitor_hurry();
}

static bool somebody_waits(struct vproc *vp, uint64_t now)
{
	return vproc_has_ready(vp) || *vp->visitors || load_relaxed(&vp->timers.next_ns) <= now;
}

/* It has not looked at descriptors for long, as one that switches often does by itself. */
static bool is_deaf(const struct vproc *vp)
{
	return arch_ticks() - vp->poll_tsc > LOOKS_MISSED * sched.poll_ticks;	/* written racily: a hint */
}

/*
 * In this round: one was asked to give way for a descriptor; the next round is to be soon; a thread computes where
 * others wait.
 */
static bool told_one, is_hasty, sees_hog;

/*
 * Where threads compute, the others wait for the monitor to have a processor.  It asks the kernel for it at once then,
 * and only then: beside a thread with a short slice the kernel switches more between all others, too.  So it is where a
 * new thread waits.  Armed spares have a short slice then as well, unless the monitor is their source: each yield costs
 * one all that is left of its slice, and by as much the owner would be behind what the kernel thinks fair, and not be
 * preempted for the monitor.
 */
static void be_prompt(uint64_t now, uint64_t *until)
{
	bool was_prompt = *until;

	if (sees_hog && !sched.is_patient)
		*until = now + NS_PER_S;
	else if (*until <= now)
		*until = 0;
	store_relaxed(&sched.is_prompt, *until != 0);
	if (was_prompt != (bool)*until)
		sys_set_slice(0, *until ? SCHED_SHORT_SLICE_NS : 0);
	for (unsigned i = 0; (was_prompt || *until) && i < vprocs_made(); i++) {
		struct vproc *vp = &sched.vprocs[i];

		activation_try_hurry(vproc_owner(vp), false);
		struct activation *spare = load_relaxed(&vp->armed) ? load_acquire(&vp->spare) : NULL;

		if (spare && load_relaxed(&spare->source) != &source_look)	/* whose looks are dear */
			activation_try_hurry(spare, *until);
	}
}

/*
 * Threads wait for descriptors, and nobody looks at them while vp's thread runs: has it run for long enough to give
 * way, and is there something?  One that computes does so soon, but one at a time, and none that refuses and refuses.
 */
static bool must_listen(struct vproc *vp, struct activation *owner, uint64_t now)
{
	uint64_t tsc = arch_ticks();

	if (!runs_hog(owner, tsc) || vp->refusals > REFUSALS_MAX || runq_has_hot(&vp->runq))
		return now - vp->seen_ns >= short_tick_ns && sched_hooks.io_is_ready(0);
	if (told_one || !sched_hooks.io_is_ready(0))
		return false;
	is_hasty = true;
	if (tsc - owner->tsc < sched.hog_grain_ticks || tsc - vp->nudge_tsc < sched.hog_grain_ticks)
		return false;
	vp->nudge_tsc = tsc;
	told_one = true;
	return true;
}

/*
 * A vproc takes threads from another only when it has none.  Where threads compute without end, one could so have a
 * vproc for itself for ever while others share theirs: so who has fewer to run gets one more, now and then.
 */
static bool balance(struct vproc *vp, uint64_t now)
{
	enum { SLICES = 4 };
	uint64_t every_ns = SLICES * sched.slice_ns;
	uint32_t most = runq_length(&vp->runq);
	struct vproc *from = NULL;

	if (sched_has_policy || vp->id >= load_relaxed(&sched.stealing_limit) || now - vp->balanced_ns < every_ns)
		return false;
	for (unsigned i = 0; i < vprocs_made(); i++) {
		struct vproc *other = &sched.vprocs[i];
		uint32_t n = other == vp || now - other->balanced_ns < every_ns ? 0 : runq_count_hogs(&other->runq);

		if (n > most) {
			most = n;
			from = other;
		}
	}
	struct thread *t = from ? runq_take_hog(&from->runq) : NULL;

	if (!t)
		return false;
	vp->balanced_ns = from->balanced_ns = now;
	point_steal(vp, t, from);
	runq_post(&vp->runq, t);		/* pairs: idle.announce, arm */
	return true;
}

/*
 * A thread that waits in a loop of its own for what another is to do, which waits for this vproc, wastes its turn.  Only
 * its code and registers tell that, so it is asked, each time after twice as long, twice in a turn at least: the sooner
 * the more often one was found here.
 */
static void look_for_spinner(struct vproc *vp, struct activation *owner, uint64_t now, uint64_t *ret_look_ns)
{
	uint64_t least = sched.hog_grain_ticks, most = sched.slice_ticks / 4;
	uint64_t spins = load_relaxed(&vp->spins), ask = vp->ask_ticks ? vp->ask_ticks : 2 * sched.grain_ticks;

	if (vp->seen_switches != vp->asked_switches) {
		ask = spins != vp->seen_spins ? ask / 2 : vp->asks ? 2 * ask : ask;
		vp->ask_ticks = ask = ask < least ? least : ask > most ? most : ask;
		vp->asked_switches = vp->seen_switches;
		vp->seen_spins = spins;
		vp->asks = 0;
	}
	uint64_t ran = arch_ticks() - owner->tsc, due = ask << vp->asks, left = ran < due ? due - ran : due;

	if (sched.lets_spin || due >= sched.slice_ticks)
		return;
	if (ran >= due) {
		vp->asks++;
		preempt_spinner(owner);
	}
	uint64_t look_ns = now + ns_of_ticks(left);

	*ret_look_ns = look_ns < *ret_look_ns ? look_ns : *ret_look_ns;
}

/*
 * Its thread has run for a slice without a switch: true when a shorter tick is wanted.  Where only
 * descriptors are waited for it gives way when there is something: whoever is on a CPU first finds it.
 */
static bool look_at_busy(struct vproc *vp, struct activation *owner, uint64_t now, uint64_t *ret_look_ns)
{
	uint64_t switches = load_relaxed(&vp->switches);

	if (switches != vp->seen_switches || owner != vp->seen_owner) {
		vp->seen_switches = switches;
		vp->seen_owner = owner;
		vp->seen_ns = now;
		vp->refusals = 0;
	}
	bool is_wanted = somebody_waits(vp, now);
	bool is_missed = nobody_listens() && (is_deaf(vp) || runs_hog(owner, arch_ticks()));

	if (!is_wanted && !is_missed && !work_exists(vp))
		return false;
	if (source_is_blocked(owner)) {
		vproc_arm(vp);		/* a block that no spare was armed for */
		return true;
	}
	if (runs_hog(owner, arch_ticks()) && balance(vp, now))
		is_wanted = true;
	if (!is_wanted && !is_missed)
		return false;
	sees_hog = sees_hog || runs_hog(owner, arch_ticks()) || runq_has_new(&vp->runq);
	if (vp->seen_idle_ns == load_relaxed(&vp->idle_ns))
		vproc_arm(vp);
	vp->seen_idle_ns = load_relaxed(&vp->idle_ns);
	if (load_relaxed(&sched.nidle) && vproc_has_ready(vp))
		kick_one();
	bool presses = *vp->visitors || (unlikely(sched_has_policy) ? policy_preempts(vp, load_relaxed(&owner->thread))
								    : runq_has_hot(&vp->runq) || runq_has_new(&vp->runq));
	bool is_urgent = load_relaxed(&vp->timers.next_ns) <= now || (presses && now - vp->seen_ns >= short_tick_ns);

	if (!sched.slice_ns)
		return false;
	is_urgent = is_urgent || (is_missed && must_listen(vp, owner, now));
	if (!is_urgent && (!is_wanted || now - vp->seen_ns < sched.slice_ns)) {
		if (is_wanted && !sched_has_policy)
			look_for_spinner(vp, owner, now, ret_look_ns);
		return presses || is_missed;
	}
	if (is_urgent && vp->refusals <= REFUSALS_MAX && runs_hog(owner, arch_ticks()))
		is_hasty = true;
	preempt_send(owner, ++vp->refusals > REFUSALS_MAX);
	if (sched_has_policy && is_wanted && !is_urgent) {	/* it may well go on: no more of this for another slice */
		vp->seen_ns = now;
		return false;
	}
	return true;
}

/* Other processes had vp's processor while it ran a thread. */
static void look_at_preemptions(struct vproc *vp, struct activation *owner)
{
	struct thread *t = load_relaxed(&owner->thread);
	unsigned n = source_preemptions(owner);

	/* What it lost before it was the owner was nothing of the vproc's. */
	if (n && vp->told_owner == owner && t->kind == THREAD_USER) {
		fetch_add(&sched.upcalls_preempted, n);
		point_preempted(vp, owner, t, n);
		events_post(vp, UPCALL_REPORT_PREEMPTED, t, owner);
	}
	vp->told_owner = owner;
}

/* A thread that computes does not look round by itself: true where a warning may come at any moment. */
static bool have_it_hear(struct vproc *vp, struct activation *owner)
{
	if (likely(!load_relaxed(&events_open)))
		return false;
	if (*vp->warnings != load_relaxed(&vp->warnings_seen) || events_have_some(vp))
		preempt_poke(owner);
	return sched.keeps_cpus && load_relaxed(&events_warn_us);
}

static bool look_at_vproc(struct vproc *vp, uint64_t now, bool *ret_busy, uint64_t *ret_look_ns)
{
	struct activation *owner = vproc_owner(vp);
	uint32_t wake = load_acquire(&vp->wake);

	if (!owner)
		return false;
	if (load_relaxed(&vp->armed))
		vp->seen_unarmed = false;
	else if (!vp->seen_unarmed)
		vp->seen_unarmed = true;
	else
		activation_try_unpin(owner);
	if (wake == VW_POLLING || wake == VW_SLEEPING || wake == VW_OFF)
		return false;
	if (wake == VW_BLOCKED && !vproc_has_ready(vp))
		return false;
	*ret_busy = true;
	uint64_t timer_ns = load_relaxed(&vp->timers.next_ns);

	if (timer_ns > now && timer_ns < *ret_look_ns && runs_hog(owner, arch_ticks()))
		*ret_look_ns = timer_ns;
	look_at_preemptions(vp, owner);
	/* It was kicked for what waits elsewhere, and blocked all the same. */
	if (wake == VW_KICKED && work_exists(vp) && source_is_blocked(owner))
		vproc_arm(vp);
	store_relaxed(&vp->looks_left, 0);
	if (load_relaxed(&owner->thread)->kind != THREAD_USER)
		return false;
	bool hears = have_it_hear(vp, owner);

	if (vproc_is_allowed(vp))
		return look_at_busy(vp, owner, now, ret_look_ns) || hears;
	if (now >= load_relaxed(&vp->taken_at_ns))
		preempt_send(owner, true);	/* its processor was taken away */
	return true;
}

/*
 * Who blocks anew without having been told has come back by itself, and will again: for a short block an alarm would
 * cost more than the block.
 */
static bool needs_alarm(struct activation *a, uint64_t now)
{
	uint64_t since = source_blocked_since(a, now);
	bool is_anew = since > activation_lost_ns(a, now) + SCHED_HOG_GRAIN_NS;

	return since && now > since + (is_anew ? 4 : 1) * NS_PER_MS;
}

/*
 * Activations that lost their vprocs, and have not looked at `owner` yet: those that are back, and those that are not.  True
 * when a shorter tick is wanted: one has been blocked for so short a time that it has no alarm yet.
 */
static bool look_at_lost(void)
{
	uint64_t now = now_ns();
	bool any = false;

	if (!load_relaxed(&sched.nlost))
		return false;
	if (!lock_try(&sched.all_lock))
		return true;
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);

		if (!load_relaxed(&a->alive) || !load_relaxed(&a->is_lost))
			continue;
		activation_try_unpin(a);	/* its replacement has the CPU */
		if (source_is_running(a)) {
			preempt_send(a, true);
			alarm_forget(a);
			any = true;
		} else if (needs_alarm(a, now)) {
			alarm_ask(a);
		} else {
			any = true;
		}
	}
	lock_drop(&sched.all_lock);
	return any;
}

/* A vproc's kernel thread is blocked, and no other can be had for what waits: said once, when it is so for a second. */
static void tell_of_the_limit(bool is_reached, uint64_t now)
{
	static uint64_t since;
	static bool is_told;
	bool waits = false;

	for (unsigned i = 0; is_reached && i < vprocs_made(); i++) {
		struct vproc *vp = &sched.vprocs[i];
		struct activation *owner = vproc_owner(vp);

		waits |= owner && !load_relaxed(&vp->armed) && vproc_has_ready(vp) && source_is_blocked(owner);
	}
	if (!waits)
		since = 0;
	else if (!since)
		since = now;
	else if (now - since >= NS_PER_S && !is_told) {
		is_told = true;
		complain("threads wait: all kernel threads that the system gives are blocked (RLIMIT_NPROC, or pids.max of the control group)");
	}
}

static void keep_spares(uint64_t now)
{
	if (load_relaxed(&sched.nspares) < SPARES_MIN) {
		struct activation *a = activation_create(&sched.vprocs[0], false);

		if (a)
			spare_give(a);
		tell_of_the_limit(!a, now);
	}
	/* Surplus goes in bulk. */
	while (load_relaxed(&sched.nspares) > SPARES_MAX + vprocs_made()) {
		struct activation *a = spare_take_to_end();

		if (!a)
			break;
		store_release(&a->cmd, CMD_EXIT);
		sys_futex_wake(&a->cmd, 1);
	}
}

/* Vprocs that are busy, and threads that wait for one. */
static unsigned count_wanted(void)
{
	unsigned wanted = 0, ready = 0;

	for (unsigned i = 0; i < vprocs_made(); i++) {
		struct vproc *vp = &sched.vprocs[i];
		uint32_t wake = load_relaxed(&vp->wake);

		wanted += wake == VW_AWAKE || wake == VW_KICKED;
		if (sched_has_policy)	/* the same ones perhaps for each vproc */
			ready = policy_count(vp) > ready ? policy_count(vp) : ready;
		else
			ready += runq_is_empty(&vp->runq) ? 0 : runq_length(&vp->runq);
	}
	return wanted + ready;
}

static void idle_vprocs_serve(void)
{
	bool serves = !sched_has_policy && work_exists(&sched.vprocs[0]);

	if (sched_has_policy)
		policy_serve();
	/* Nobody sleeps in the poller though somebody could; or a thread waits for one that sleeps. */
	if (load_relaxed(&sched.nidle) && (serves || nobody_listens()))
		kick_one();
}

/* Until then, or until there is something on a descriptor that nobody listens to. */
static void nap(uint64_t ns)
{
	if (is_hasty && ns > SCHED_HOG_GRAIN_NS)
		ns = SCHED_HOG_GRAIN_NS;
	if (nobody_listens() && !sched_hooks.io_is_ready(0))
		sched_hooks.io_is_ready(ns);
	else
		sys_nap(ns);
}

/* How long to the next look: `tick`, but not beyond `look_ns`, the first timer of those whose thread computes or so. */
static uint64_t span_to_look(uint64_t now, uint64_t tick, uint64_t look_ns)
{
	uint64_t span = look_ns > now + SCHED_HOG_GRAIN_NS ? look_ns - now : SCHED_HOG_GRAIN_NS;

	return span < tick ? span : tick;
}

void monitor_fork_child(void)
{
	zero_in_child(&monitor_rest, sizeof(monitor_rest));		/* MONITOR_UP */
	zero_in_child(&has_timer, sizeof(has_timer));
	monitor_tid = 0;
}

static bool may_rest(void)
{
	return vprocs_are_idle() && !load_seq_cst(&sched.lacks_activation) && !load_seq_cst(&bell);
}

/*
 * Until somebody begins to work; true: that took longer than the looks before it, so that one is enough before the next rest.
 * A kernel thread without a vproc that comes back meanwhile runs alone.
 */
static bool rest(void)
{
	uint64_t began_ns = now_ns();
	bool is_free = strange_begin(), dozes = is_free && can_doze();

	store_seq_cst(&monitor_rest, dozes ? MONITOR_DOZES : MONITOR_SLEEPS);
	if (is_free)
		strange_end();		/* pairs: confine, by monitor_rest */
	share_rest();
	/* Still: who begins to work, or rings, looks at monitor_rest after that. */
	if (may_rest() && dozes)
		doze(rest_ns);
	else if (may_rest())
		sys_futex_wait(&monitor_rest, MONITOR_SLEEPS, now_ns() + rest_ns);
	store_seq_cst(&monitor_rest, MONITOR_UP);
	uint64_t now = now_ns();

	store_relaxed(&rested_ns, now);
	return now - began_ns > QUIET_TICKS * long_tick_ns;
}

static void monitor_main(void *arg)
{
	unsigned quiet = 0;
	uint64_t limits_ns = 0, prompt_until = 0;

	(void)arg;
	while (!load_relaxed(&sched.stop)) {
		uint64_t now = now_ns(), look_ns = NEVER;
		bool busy = false, hurry = false;

		bool is_free = strange_begin();

		told_one = is_hasty = sees_hog = false;
		store_seq_cst(&looks_at_ns, NEVER);
		if (is_free)
			source_tick(now);
		for (unsigned i = 0; i < vprocs_made(); i++)
			hurry |= look_at_vproc(&sched.vprocs[i], now, &busy, &look_ns);
		if (is_free)
			be_prompt(now, &prompt_until);
		hurry |= look_at_lost();
		idle_vprocs_serve();
		keep_spares(now);
		if (xchg_seq_cst(&sched.lacks_activation, 0))
			kick_one();
		if (sched_hooks.tick)
			sched_hooks.tick(now);
		cpus_tick(now, is_free);
		unsigned wanted = count_wanted();

		page_wanted(wanted);
		if (is_free && share_tick(now, wanted))
			limits_ns = 0;
		if (is_free && now - limits_ns >= (busy ? limits_every_ns : limits_at_rest_ns)) {
			limits_follow();
			limits_ns = now;
		}
		if (is_free)
			strange_end();
		quiet = busy || hurry ? 0 : quiet + 1;
		if (quiet > QUIET_TICKS) {
			quiet = rest() ? QUIET_TICKS : 0;
			continue;
		}
		uint64_t tick = sched.slice_ns && sched.slice_ns < long_tick_ns ? sched.slice_ns : long_tick_ns;

		bool is_soon = xchg_seq_cst(&bell, 0) || hurry;

		/* From now on: a look that takes a tick, on a slow machine, is not followed by the next one at once. */
		now = now_ns();
		uint64_t span = span_to_look(now, is_soon ? short_tick_ns : tick, look_ns);

		store_seq_cst(&looks_at_ns, now + span);
		if (is_soon)
			nap(span);
		else
			sys_futex_wait(&bell, 0, now + span);
	}
}

/* At a limit of processes it may fail (-EAGAIN): who makes a thread tries again. */
int monitor_start(void)
{
	uint32_t none = 0;
	int err = 0;

	if (cas_seq_cst(&sched.has_monitor, &none, 1))
		err = helper_create(HELPER_MONITOR, &monitor_tid, monitor_main);
	if (err)
		store_release(&sched.has_monitor, 0);
	return err;
}

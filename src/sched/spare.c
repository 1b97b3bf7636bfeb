// SPDX-License-Identifier: BSD-2-Clause
/*
 * Spares: how a vproc goes on when its owner blocks.
 *
 * Each vproc has one spare on its CPU.  Armed, it is always runnable and yields in a loop: so it
 * runs one context switch after the owner blocks, with no wake-up, learns from the event source
 * that the owner is blocked, and takes the vproc over: at once, or, where blocks have been short, after a
 * moment.  It is armed while somebody would wait for
 * the vproc if the owner blocked (a ready thread, in its own queue or in another's, from which the vproc
 * would take it; a timer, the poller), and disarms itself after half a second of nothing, or at once when
 * the owner sleeps in its idle loop, or has announced that it blocks with nothing else to run.
 *
 * Arming costs a wake-up, so a vproc that goes idle and gets work thousands of times a second is
 * not armed each time: at once before a call that is known to block, and where surprising blocks
 * (page faults, calls inside libc) have been seen lately, not too seldom for what arming costs; else by the
 * monitor, when the vproc has been busy for a whole tick.  The monitor also finds the first surprise.
 *
 * While a vproc is armed, owner and spare are tied to the CPU on which the vproc was then; the spare
 * would otherwise compute beside it.  An unarmed vproc goes where the kernel finds room for it, which
 * the programs beside us take from under it all the time: tied for good, memcached beside its load
 * on 2 CPUs did 0.8 of what it does on glibc, untied 1.3.  The monitor unties what was disarmed, and sees
 * to it that what is armed is not tied beside another program (cpus.c).  Where the kernel does not give the processor
 * to the owner when the spare yields, the spare sleeps between its looks (nap_if_yields_are_in_vain).
 *
 * The spare has the default time slice, and where threads compute a short one (be_prompt in upcall/monitor.c).  A long
 * one would make it run less often (a yield costs a kernel thread what is left of its slice), but it pays for its
 * yields by waiting when it is the owner: with 100 ms slices, beside a few computing processes, for seconds.
 */
#include "../upcall/events.h"
#include "point.h"
#include "policy.h"
#include "vproc.h"

static const uint64_t linger_ns = 500 * NS_PER_MS;
static const uint64_t first_nap_ns = 50 * NS_PER_US, longest_nap_ns = 4 * NS_PER_MS;

bool vproc_expects(const struct vproc *vp)
{
	return load_relaxed(&vp->timers.next_ns) != NEVER || nobody_listens();
}

bool vproc_is_wanted(const struct vproc *vp)
{
	return vproc_expects(vp) || work_exists(vp);
}

static struct activation *spare_for(struct vproc *vp)
{
	struct activation *a = load_acquire(&vp->spare);

	if (a)
		return a;
	a = spare_take();
	if (a)
		a->vproc = vp;
	else
		a = activation_create(vp, false);
	if (a) {
		store_release(&vp->spare, a);
		scx_tell_spare(vp, a);
	}
	return a;
}

/* Owner and spare to one CPU: the one that the vproc is on, as far as the caller knows. */
static void tie(struct vproc *vp, struct activation *spare)
{
	struct activation *owner = vproc_owner(vp);
	struct thread *me = self_ptr;

	if (vp->cpu < 0 || !owner)
		return;
	if (!sched.keeps_cpus) {
		bool is_self = me && me->kind != THREAD_BOUND && me->act == owner;

		vp->cpu = vproc_cpu(vp, is_self ? (int)arch_cpu() : vp->cpu);
	}
	int cpu = vp->cpu;

	activation_pin(owner, cpu);
	activation_pin(spare, cpu);
}

static void wake_spare(struct vproc *vp)
{
	if (unlikely(load_relaxed(&vp->spare_naps)) && xchg_seq_cst(&vp->spare_naps, 0))
		sys_futex_wake(&vp->spare_naps, 1);
}

/* Who changes `armed` from 0 to 1 deals with the spare. */
void vproc_arm(struct vproc *vp)
{
	uint32_t unarmed = 0;
	uint32_t wake = load_relaxed(&vp->wake);

	if (wake == VW_POLLING || wake == VW_SLEEPING || wake == VW_OFF || !vproc_owner(vp) || sched.hears_nothing)
		return;				/* its idle loop arms it when it finds work */
	if (!cas_seq_cst(&vp->armed, &unarmed, 1)) {
		wake_spare(vp);
		return;
	}
	struct activation *a = spare_for(vp);

	if (!a) {
		store_seq_cst(&vp->armed, 0);	/* no kernel thread to be had: the monitor tries again */
		activation_ask();
		return;
	}
	tie(vp, a);
	activation_rest(a);
	store_release(&a->cmd, CMD_ARM);
	sys_futex_wake(&a->cmd, 1);
}

void vproc_arm_watched(struct vproc *vp)
{
	uint32_t credit = vp->watch_credit;	/* changed racily: a lost update costs a watch, or a surprise */

	if (credit && !load_relaxed(&vp->armed) && vp->watch_until_tsc > arch_ticks() &&
	    vproc_is_wanted(vp)) {
		vp->watch_credit = credit - 1;
		vproc_arm(vp);
	}
}

/*
 * Is the owner inside the runtime?  If it changes threads while we look, it is: the one that we looked
 * at may be elsewhere by now, and outside.
 */
static bool owner_in_rt(struct vproc *vp, struct activation *owner)
{
	uint64_t switches = load_acquire(&vp->switches);
	struct thread *t = load_acquire(&owner->thread);
	bool in_rt = __atomic_load_n(&t->in_rt, __ATOMIC_ACQUIRE) != 0;

	return in_rt || load_acquire(&owner->thread) != t || load_acquire(&vp->switches) != switches;
}

void sched_mind_outsiders(void)
{
	struct vproc *vp = sched.vprocs;
	struct activation *owner;
	uint32_t lone = LONE;

	if (load_acquire(&sched_lone) == NOT_LONE)
		return;
	cas_seq_cst(&sched_lone, &lone, LONE_NO_LONGER);	/* pairs: lone */
	sys_membarrier();
	/* A switch after the fence: what it was inside for is over, but perhaps for what comes first after that one. */
	for (uint64_t switches = load_acquire(&vp->switches); load_acquire(&vp->switches) - switches < 2;) {
		uint32_t wake = load_acquire(&vp->wake);

		owner = vproc_owner(vp);
		if (!owner || (wake != VW_AWAKE && wake != VW_KICKED) || !owner_in_rt(vp, owner))
			break;
		sys_nap(NS_PER_MS / 50);
	}
	store_release(&sched_lone, NOT_LONE);
}

/* vp's owner is blocked: make `a` its owner.  Steps of the handshake: vproc.h. */
static bool take_over(struct activation *a, struct vproc *vp, struct activation *owner)
{
	uint64_t expected = (uint64_t)(uintptr_t)owner;

	if (owner_in_rt(vp, owner) || !cas_seq_cst(&vp->owner, &expected, (uint64_t)(uintptr_t)a | VP_TENTATIVE))
		return false;
	/* With one CPU nobody is pinned, and nobody runs beside us. */
	if (owner->pinned_cpu != a->pinned_cpu || (a->pinned_cpu < 0 && sched.was_pinned))
		sys_membarrier();
	if (owner_in_rt(vp, owner)) {
		store_seq_cst(&vp->owner, (uint64_t)(uintptr_t)owner);
		return false;
	}
	uint32_t running = T_RUNNING;

	cas_seq_cst(&load_relaxed(&owner->thread)->state, &running, T_KERNEL);
	owner->lost_ticks = a->tsc = arch_ticks();	/* what a computed so far is charged to nobody */
	vproc_count_blocked(vp, a->tsc);
	store_relaxed(&owner->is_lost, 1);
	fetch_add(&sched.nlost, 1);
	idle_bit_clear(vp);
	if (load_relaxed(&vp->wake) != VW_AWAKE)
		store_seq_cst(&vp->wake, VW_AWAKE);
	store_release(&vp->spare, NULL);
	store_seq_cst(&vp->armed, 0);
	/* While it waits for what we decide: so nobody learns that it is back before this. */
	count_up(&vp->upcalls_blocked);
	point_blocked(vp, owner);
	events_post(vp, UPCALL_REPORT_BLOCKED, load_relaxed(&owner->thread), owner);
	vproc_set_owner(vp, a);
	monitor_begin();
	vp->watch_until_tsc = owner->lost_ticks + sched.watch_ticks;
	vp->watch_credit += WATCH_CREDIT;
	if (vp->watch_credit > WATCH_CREDIT_MAX)
		vp->watch_credit = WATCH_CREDIT_MAX;
	events_look(vp);
	return true;
}

/* Whoever has work for the vproc kicks it, and has a spare armed again where the owner blocks. */
static bool is_free(uint32_t wake)
{
	return wake == VW_POLLING || wake == VW_SLEEPING || wake == VW_BLOCKED;
}

/*
 * Between two looks.  A spare that the kernel's scheduler does not hold for us, where it holds the owner, would
 * come before that: the normal class does.
 */
static void let_others_run(struct activation *a)
{
	if (unlikely(sched.keeps_cpus && !scx_schedules(a)))
		sys_nap(SCHED_GRAIN_NS);
	else
		sys_yield();
}

/*
 * Many a short block is for a lock inside the kernel.  Whoever takes over at once keeps the owner, when it
 * has the lock, from the processor, and those who want it next block too: so the owner gets a moment first.
 */
static bool is_given_a_moment(const struct vproc *vp, uint64_t *since)
{
	if (likely(!vp->patience))
		return false;
	uint64_t tsc = arch_ticks();

	if (!*since)
		*since = tsc;
	return tsc - *since < sched.moment_ticks;
}

/* Where the time of an armed spare goes: counted from here. */
struct tally {
	uint64_t tsc, ns, cpu_ns;
	uint64_t nap_ns;		/* the next */
};

/*
 * Before Linux 6.6 (CFS) who yields goes on until it has had as much of the processor as the others: half of it.  So a
 * spare that has had most of the last 20 us naps, longer each time.  A call that is known to block ends the nap; what
 * blocks by surprise waits for its end.
 */
static void nap_if_yields_are_in_vain(struct activation *a, struct vproc *vp, struct tally *t)
{
	if (arch_ticks() - t->tsc < sched.look_ticks)
		return;
	uint64_t ns = now_ns(), cpu_ns = sys_thread_cpu_ns(a->tid);

	if (t->tsc && 2 * (cpu_ns - t->cpu_ns) > ns - t->ns) {
		store_seq_cst(&vp->spare_naps, 1);
		sys_futex_wait(&vp->spare_naps, 1, ns + t->nap_ns);
		store_seq_cst(&vp->spare_naps, 0);
		if (2 * t->nap_ns <= longest_nap_ns)
			t->nap_ns *= 2;
		ns = now_ns();
	}
	*t = (struct tally){ arch_ticks(), ns, cpu_ns, t->nap_ns };
}

/* Watches vp until the owner blocks (true: `a` owns it now) or nobody needs a watch (false). */
static bool watch(struct activation *a)
{
	struct vproc *vp = a->vproc;
	uint64_t quiet_since = 0, blocked_since = 0;
	struct tally tally = { .nap_ns = first_nap_ns };

	for (;;) {
		struct activation *owner = vproc_owner(vp);
		uint32_t wake = load_acquire(&vp->wake);

		if (load_relaxed(&a->cmd) == CMD_EXIT)
			return false;
		source_refresh(a);
		if (unlikely(load_relaxed(&a->idle.pending)))
			idle_signals(a);
		if (unlikely(load_relaxed(&a->is_told_mask)))
			idle_take_mask(a);
		if (is_free(wake)) {
			quiet_since = 1;
		} else if (source_is_blocked(owner)) {
			quiet_since = 0;
			if (is_given_a_moment(vp, &blocked_since)) {
				let_others_run(a);
				continue;
			}
			if (take_over(a, vp, owner))
				return true;
		} else if (unlikely(owner->pinned_cpu != a->pinned_cpu && a->pinned_cpu >= 0)) {
			/* It slept, free to wake up anywhere, and its spare had no turn meanwhile in which to see that. */
			tie(vp, a);
		} else if (vproc_is_wanted(vp)) {
			quiet_since = 0;
		} else if (!quiet_since) {
			quiet_since = now_ns();
		}
		if (quiet_since && (quiet_since == 1 || now_ns() - quiet_since > linger_ns)) {
			uint32_t unarmed = 0;

			store_seq_cst(&vp->armed, 0);	/* pairs: arm */
			if (!load_relaxed(&vp->runq.has_thieves) && strange_begin()) {
				sys_membarrier();	/* its owner pushes without a fence */
				strange_end();
			}
			wake = load_seq_cst(&vp->wake);
			/* An owner that blocked just now, relying on us, has announced nothing. */
			if (is_free(wake) ||
			    (!vproc_is_wanted(vp) && !source_is_blocked(vproc_owner(vp))))
				return false;
			if (!cas_seq_cst(&vp->armed, &unarmed, 1))
				return false;		/* armed again already: cmd says so */
			quiet_since = 0;
		}
		blocked_since = 0;
		nap_if_yields_are_in_vain(a, vp, &tally);
		let_others_run(a);
	}
}

/* An activation without a vproc sleeps here until it is given one; true: it has taken it over from a blocked owner. */
bool spare_wait(struct activation *a)
{
	bare_release(a);
	if (!a->is_assigned)
		spare_give(a);
	for (;;) {
		uint32_t look = CMD_LOOK;

		switch ((enum spare_cmd)load_acquire(&a->cmd)) {
		case CMD_SLEEP:
			idle_take_mask(a);
			sys_futex_wait(&a->cmd, CMD_SLEEP, NEVER);
			break;
		case CMD_LOOK:
			cas_seq_cst(&a->cmd, &look, CMD_SLEEP);
			idle_signals(a);
			break;
		case CMD_ARM:
			store_release(&a->cmd, CMD_SLEEP);
			if (watch(a)) {
				a->is_assigned = false;
				return true;
			}
			break;
		case CMD_RUN:
			store_release(&a->cmd, CMD_SLEEP);
			a->is_assigned = false;
			return false;
		case CMD_BIND:
			store_release(&a->cmd, CMD_SLEEP);
			cpu_charge(a, &a->idle, arch_ticks());
			source_detach_host(a);
			switch_to(a, &a->idle, a->guest, POST_NONE);
			activation_exit(a);	/* the guest has ended, and its kernel thread with it */
		case CMD_EXIT:
			activation_exit(a);
		}
	}
}

bool sched_is_alone(struct thread *me)
{
	return me->kind == THREAD_USER && !vproc_has_ready(me->act->vproc) && !vproc_expects(me->act->vproc);
}

bool sched_has_short_company(struct thread *me)
{
	return me->kind == THREAD_USER && vproc_has_ready(me->act->vproc) && !me->act->vproc->runq.has_hogs;
}

bool sched_has_partner(struct thread *me)
{
	const struct vproc *own = me->act->vproc;
	uint64_t tsc = arch_ticks();

	for (unsigned i = 0; i < vprocs_made(); i++) {
		uint64_t since = load_relaxed(&sched.vprocs[i].blocked_tsc);

		if (since && &sched.vprocs[i] != own && tsc - since < sched.laziest_ticks)
			return true;
	}
	return false;
}

/* The vproc is no longer free: its owner goes on, or has work for others. */
void vproc_unannounce(struct vproc *vp)
{
	uint32_t blocked = VW_BLOCKED;

	if (!cas_seq_cst(&vp->wake, &blocked, VW_AWAKE) && blocked == VW_KICKED)
		store_seq_cst(&vp->wake, VW_AWAKE);
	monitor_begin();			/* what is woken from here on may need a turn beside us */
	idle_bit_clear(vp);
}

/*
 * Announce that the vproc is free while its owner blocks.  If somebody needs it now, the spare is
 * armed instead and takes it as soon as the block has happened.  One that is armed, for what has run by now, sees that it
 * is not needed.
 */
static void announce(struct vproc *vp)
{
	if (sched.hears_nothing || (load_relaxed(&vp->armed) && (vproc_is_wanted(vp) || events_wait(vp)))) {
		wake_spare(vp);
		return;
	}
	/* KICKED perhaps, by who came too late to be needed; what it is about, we look for here. */
	xchg_seq_cst(&vp->wake, VW_BLOCKED);
	if (vproc_is_allowed(vp))
		idle_bit_set(vp);			/* pairs: idle.announce, events.sleep */
	if (vproc_is_wanted(vp) || events_wait(vp)) {
		vproc_unannounce(vp);
		vproc_arm(vp);
	}
}

void sched_begin_block(struct thread *me)
{
	/* Each time: on leaving the runtime it may be bound, and then its activation has no vproc. */
	while (me->kind == THREAD_USER) {
		rt_enter();
		if (!(load_relaxed(&me->pending) & (PEND_PREEMPT | PEND_SIGNAL))) {
			announce(me->act->vproc);
			clock_pause(me);
			store_relaxed(&me->act->vproc->looks_left, 0);	/* who switches amid the call says so: vproc_look */
			point_call(me);
			compiler_barrier();
			me->in_rt = 0;
			compiler_barrier();
			/* What came while we were inside the runtime would wait for the whole block. */
			if (likely(!(load_relaxed(&me->pending) & (PEND_PREEMPT | PEND_SIGNAL))))
				return;
			rt_enter();
			point_return(me);
			vproc_unannounce(me->act->vproc);
		}
		rt_leave(me);
	}
}

void sched_end_block(struct thread *me)
{
	if (me->kind != THREAD_USER)
		return;
	clock_resume(me);
	rt_enter();		/* lost: waits for a turn */
	point_return(me);
	if (me->kind == THREAD_USER && load_relaxed(&me->act->vproc->wake) != VW_AWAKE)
		vproc_unannounce(me->act->vproc);
	rt_leave(me);
}

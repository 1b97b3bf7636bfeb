// SPDX-License-Identifier: BSD-2-Clause
/*
 * What runs next, and what a vproc does when nothing does: it looks round, announces itself idle,
 * looks once more, and sleeps: in the poller, if threads wait for what that hears of and no other vproc sleeps there.
 *
 * Woken vprocs are few: a pusher kicks one idle vproc only when none is already looking for work.
 */
#include "../base/random.h"
#include "../upcall/events.h"
#include "point.h"
#include "policy.h"
#include "vproc.h"

enum { LOOK_MAX = 61, SPIN_TRIAL = 16 };

void idle_bit_set(struct vproc *vp)
{
	uint64_t bit = UINT64_C(1) << (vp->id % 64);

	if (!(fetch_or(&sched.idle[vp->id / 64], bit) & bit))
		fetch_add(&sched.nidle, 1);
}

/* True for the one caller that took the bit away. */
bool idle_bit_clear(struct vproc *vp)
{
	uint64_t bit = UINT64_C(1) << (vp->id % 64);

	if (!(load_relaxed(&sched.idle[vp->id / 64]) & bit))
		return false;
	if (!(fetch_and(&sched.idle[vp->id / 64], ~bit) & bit))
		return false;
	fetch_sub(&sched.nidle, 1);
	return true;
}

void vproc_kick(struct vproc *vp)
{
	switch ((enum vproc_wake)xchg_seq_cst(&vp->wake, VW_KICKED)) {
	case VW_AWAKE:
	case VW_KICKED:
		break;
	case VW_POLLING:
		sched_hooks.io_kick();
		break;
	case VW_SLEEPING:
		sys_futex_wake(&vp->wake, 1);
		break;
	case VW_BLOCKED:
		vproc_arm(vp);
		break;
	case VW_OFF: {
		struct activation *a = spare_take();

		monitor_begin();
		if (a) {
			activation_run(a, vp);
		} else if (!activation_create(vp, true)) {
			store_seq_cst(&vp->wake, VW_OFF);
			idle_bit_set(vp);
			activation_ask();
		}
		break;
	}
	}
}

static bool kick_in_word(unsigned word)
{
	uint64_t bits = load_relaxed(&sched.idle[word]);

	while (bits) {
		struct vproc *vp = &sched.vprocs[word * 64 + (unsigned)__builtin_ctzll(bits)];

		if (idle_bit_clear(vp)) {
			vproc_kick(vp);
			if (inject_now(INJECT_DOUBLED, 4))
				vproc_kick(vp);
			return true;
		}
		bits = load_relaxed(&sched.idle[word]);
	}
	return false;
}

/* After a push and a full fence. */
bool kick_one(void)
{
	if (load_relaxed(&sched.nidle) == 0 || load_relaxed(&sched.nsearching))
		return false;
	for (unsigned w = 0; w < (vprocs_made() + 63) / 64; w++)
		if (kick_in_word(w))
			return true;
	return false;
}

/* By its owner, inside: nothing of what it does without locked instructions is under way. */
static COLD void vproc_mind_thieves(struct vproc *vp)
{
	store_release(&sched_lone, NOT_LONE);		/* pairs: lone */
	store_release(&vp->runq.has_thieves, 1);
}

void vproc_hear(struct activation *a, struct thread *t)
{
	struct vproc *vp = a->vproc;
	uint32_t warnings = *vp->warnings;

	if (unlikely(warnings != load_relaxed(&vp->warnings_seen))) {
		store_relaxed(&vp->warnings_seen, warnings);
		events_post(vp, UPCALL_REPORT_WARNING, t, a);
	}
	events_look(vp);
}

/*
 * Looks lie as far apart as switches are fast, but not much further than look_ticks.  LOOK_MAX is
 * a prime, lest a few threads that take turns charge the same one each time.
 */
void vproc_look(struct activation *a, struct thread *t)
{
	struct vproc *vp = a->vproc;
	uint64_t tsc = arch_ticks(), elapsed = tsc - vp->look_tsc;

	if (unlikely(load_relaxed(&vp->wake) == VW_BLOCKED))
		vproc_unannounce(vp);	/* t was preempted, or switches in a handler, amid a blocking call */
	cpu_charge(a, t, tsc);
	vp->look_tsc = tsc;
	if (elapsed > sched.look_ticks)
		vp->look_every /= 4;
	else if (elapsed < sched.look_ticks / 4)
		vp->look_every = vp->look_every * 2 < LOOK_MAX ? vp->look_every * 2 + 1 : LOOK_MAX;
	store_relaxed(&vp->looks_left, vp->look_every);
	if (unlikely(load_relaxed(&vp->runq.has_thieves) != load_relaxed(&sched.wants_thieves)))
		vproc_mind_thieves(vp);
	runq_look(&vp->runq, tsc, sched.cold_ticks, sched.grain_ticks);
	if (tsc - vp->poll_tsc > sched.poll_ticks)
		vp->is_poll_due = true;
	if (vp->watch_until_tsc < tsc)
		vp->watch_until_tsc = 0;
	vproc_hear(a, t);
}

static void poll_io(struct vproc *vp, uint64_t deadline_ns)
{
	point_poll_begins(vp);
	point_poll(vp, sched_hooks.io_poll(deadline_ns));
}

void housekeeping(struct vproc *vp)
{
	vp->is_poll_due = false;
	vp->poll_tsc = vp->look_tsc;
	events_look_and_tell(vp);
	if (load_relaxed(&vp->timers.next_ns) != NEVER)
		timers_run(vp, now_ns());
	/* Where many are ready, the events of others wait in the kernel, in order. */
	if (nobody_listens() && !runq_is_crowded(&vp->runq)) {
		count_up(&vp->polls);
		poll_io(vp, 0);
	}
}

/*
 * vp's owner turns to what was to wait here while another vproc idled: was it long until then?  If so, others
 * are woken at once for as many short waits as make up for this one; whether somebody else took it meanwhile
 * does not matter.  What is still there after long is not left to vp alone either.
 */
static __attribute__((noinline)) void learn_from_wait(struct vproc *vp)
{
	uint64_t waited = vproc_now(vp) - vp->wait_tsc;
	uint64_t lazy_ticks = load_relaxed(&sched.cpus_are_short) ? sched.laziest_ticks : sched.lazy_ticks;

	if (waited > lazy_ticks) {
		uint64_t eager = vp->eager + waited / lazy_ticks;

		vp->eager = eager < EAGER_MAX ? (uint32_t)eager : EAGER_MAX;
		vp->wait_tsc = 0;
		if (vproc_has_ready(vp))
			kick_one();
	} else if (!vproc_has_ready(vp)) {
		vp->eager -= vp->eager > 0;
		vp->wait_tsc = 0;
	}
}

/* A processor was taken away: what waits here goes to a vproc that still has one. */
void vproc_vacate(struct vproc *vp)
{
	struct vproc *to = &sched.vprocs[vp->id % load_relaxed(&sched.limit)];
	struct thread *t;

	runq_take_inbox(&vp->runq);
	while ((t = runq_pop(&vp->runq)))
		runq_post(&to->runq, t);		/* pairs: idle.announce */
	if (idle_bit_clear(to))
		vproc_kick(to);
}

static COLD struct thread *pick_otherwise(struct vproc *vp, struct thread *me, enum post post)
{
	if (sched_has_policy)
		return policy_pick(vp, me, post);
	vproc_vacate(vp);
	return NULL;
}

struct thread *take_next(struct vproc *vp)
{
	if (unlikely(load_relaxed(&vp->runq.inbox) != NULL))
		runq_take_inbox(&vp->runq);
	struct thread *t = runq_pop(&vp->runq);

	if (unlikely(vp->wait_tsc))
		learn_from_wait(vp);
	return t;
}

struct thread *pick(struct vproc *vp, struct thread *me, enum post post)
{
	if (unlikely(vp->id >= load_relaxed(&sched.stealing_limit)))
		return pick_otherwise(vp, me, post);
	for (uint32_t n = *vp->visitors; unlikely(n && *vp->visitors); n--)
		sys_yield();		/* they run as far as to our inbox, one at a time */
	return take_next(vp);
}

/*
 * The thread that victim's has just woken: most of those that wake one wait then, and it goes on there, where its data
 * is.  So it is taken only if victim has not switched since it was seen there a moment ago.
 */
static struct thread *steal_woken(struct vproc *victim)
{
	uint64_t turn = load_relaxed(&victim->switches), tsc = arch_ticks();

	if (load_relaxed(&victim->woken_turn) != turn) {
		store_relaxed(&victim->woken_tsc, tsc);
		store_relaxed(&victim->woken_turn, turn);
	}
	if (tsc - load_relaxed(&victim->woken_tsc) < sched.woken_ticks && !inject_now(INJECT_LATE, 2))
		return NULL;
	return runq_take_lifo(&victim->runq);
}

static struct thread *steal(struct vproc *vp)
{
	unsigned n = vproc_is_allowed(vp) ? vprocs_made() : 0;
	uint64_t born = inject_now(INJECT_LATE, 2) ? NEVER : arch_ticks() - sched.young_ticks;

	random_next(&vp->random);
	for (unsigned i = 0, at = n ? (vp->random >> 16) % n : 0; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
		struct vproc *victim = &sched.vprocs[at];

		if (victim == vp || runq_is_empty(&victim->runq))
			continue;
		struct thread *t = runq_steal(&vp->runq, &victim->runq, born);

		if (!t)
			t = steal_woken(victim);
		if (t) {
			count_up(&vp->steals);
			point_steal(vp, t, victim);
			return t;
		}
	}
	return NULL;
}

/* Something is ready that vp could run. */
bool work_exists(const struct vproc *vp)
{
	if (unlikely(sched_has_policy))
		return policy_count(vp);
	for (unsigned i = 0; i < vprocs_made(); i++)
		if (!runq_is_empty(&sched.vprocs[i].runq))
			return true;
	return false;
}

/*
 * Did it pay to look longer?  A looking vproc keeps its CPU from other programs, among them those
 * that would bring it work: so it does that only where it keeps finding some.
 */
static void learn_from_spin(struct vproc *vp, bool found)
{
	uint64_t ticks = found ? vp->spin_ticks * 2 : vp->spin_ticks / 2;

	vp->spin_ticks = ticks > sched.idle_spin_ticks ? sched.idle_spin_ticks : ticks;
}

/* Looks everywhere, for spin_ticks at most. */
static struct thread *look_round(struct vproc *vp)
{
	uint64_t start = arch_ticks(), tsc = start, end = start;
	bool counts = vproc_is_allowed(vp);	/* pushers may rely on one that looks */
	struct thread *t;

	if (!load_relaxed(&sched.cpus_are_shared))
		end += vp->spin_ticks;
	if (counts)
		fetch_add(&sched.nsearching, 1);
	for (;;) {
		if (load_relaxed(&vp->timers.next_ns) != NEVER)
			timers_run(vp, now_ns());
		vp->look_tsc = tsc;
		if (tsc - vp->poll_tsc > sched.poll_ticks)
			housekeeping(vp);
		t = pick(vp, NULL, POST_NONE);
		if (!t)
			t = steal(vp);
		if (t || tsc >= end)
			break;
		for (int i = 0; i < 20; i++)
			arch_pause();
		tsc = arch_ticks();
	}
	if (tsc != start)
		learn_from_spin(vp, t != NULL);
	if (counts)
		fetch_sub(&sched.nsearching, 1);
	if (t && load_relaxed(&sched.nidle) && (vp->eager || !load_relaxed(&sched.cpus_are_short)) && work_exists(vp))
		kick_one();		/* pushers may have left it to this look-round */
	return t;
}

/* Signals that came to the native context: the hook finds threads for them. */
void idle_signals(struct activation *a)
{
	uint32_t bits = fetch_and(&a->idle.pending, 0);

	if (bits && sched_hooks.pending)
		sched_hooks.pending(&a->idle, bits, NULL);
}

bool vprocs_are_idle(void)
{
	for (unsigned i = 0; i < vprocs_made(); i++) {
		uint32_t wake = load_seq_cst(&sched.vprocs[i].wake);

		if (wake == VW_AWAKE || wake == VW_KICKED)
			return false;
	}
	return true;
}

void sched_idle_signal(struct thread *idle)
{
	struct activation *a = idle->act;
	uint32_t sleeps = CMD_SLEEP, polling = VW_POLLING, sleeping = VW_SLEEPING;

	fetch_or(&idle->pending, PEND_SIGNAL);		/* pairs: idle.signal */
	cas_seq_cst(&a->cmd, &sleeps, CMD_LOOK);
	monitor_begin();		/* if we are about to run a thread, it finds what we leave */
	if (!is_owner(a))
		return;
	if (cas_seq_cst(&a->vproc->wake, &polling, VW_KICKED))
		sched_hooks.io_kick();
	else
		cas_seq_cst(&a->vproc->wake, &sleeping, VW_KICKED);
}

/*
 * For threads that wait for what the poller hears of.  Where there are none, as a lone one blocks in the kernel, each
 * event of a descriptor that was waited for before would only wake vp beside it.
 */
static bool become_poller(struct vproc *vp)
{
	uint32_t free = 0;

	if (!sched_hooks.io_poll || !sched_hooks.io_has_waiters() || !vproc_is_allowed(vp) ||
	    !cas_seq_cst(&sched.poller, &free, 1))
		return false;
	if (likely(sched_hooks.io_has_waiters()))		/* pairs: confine */
		return true;
	store_release(&sched.poller, 0);
	return false;
}

static uint64_t deadline_of_sleep(struct vproc *vp)
{
	uint64_t deadline = load_relaxed(&vp->timers.next_ns);

	if (warm_trim(vp))
		return deadline;
	uint64_t soon = now_ns() + WARM_TRIM_NS;

	return soon < deadline ? soon : deadline;
}

/* Sleeps until kicked, an event, or the vproc's next timer. */
static void idle_sleep(struct vproc *vp)
{
	uint32_t awake = VW_AWAKE;
	uint64_t deadline = deadline_of_sleep(vp);
	uint64_t start = arch_ticks();
	bool polls = become_poller(vp);

	store_relaxed(&vp->asleep_tsc, start);
	point_sleep(vp, polls, deadline);
	if (cas_seq_cst(&vp->wake, &awake, polls ? VW_POLLING : VW_SLEEPING)) {
		activation_unpin(vproc_owner(vp));	/* it wakes up where the kernel finds room */
		if (load_seq_cst(&vproc_owner(vp)->idle.pending))
			;				/* pairs: idle.signal */
		else if (polls)
			poll_io(vp, deadline);
		else
			sys_futex_wait(&vp->wake, VW_SLEEPING, deadline);
	}
	if (polls)
		store_release(&sched.poller, 0);
	uint64_t slept = arch_ticks() - start;

	point_awake(vp);
	count_up(&vp->wakeups);
	count_add(&vp->idle_ns, ns_of_ticks(slept));
	store_relaxed(&vp->asleep_tsc, 0);
	/* A short sleep might better have been a spin: now and then that is tried. */
	if (!polls && slept < 2 * sched.idle_spin_ticks && vprocs_made() > 1 && ++vp->short_sleeps % SPIN_TRIAL == 0)
		vp->spin_ticks = sched.idle_spin_ticks / 2;
}

/* Manned by a kick, or kicked while it looked: it is awake either way. */
static void be_awake(struct vproc *vp)
{
	if (load_relaxed(&vp->wake) != VW_AWAKE)
		store_seq_cst(&vp->wake, VW_AWAKE);
}

/*
 * a has just taken its vproc over, and the processor stands still until the next thread runs.  So this is the
 * least that finds one: all else that find_work looks at, whoever watches looks at all the time.
 */
static void run_after_block(struct activation *a)
{
	struct vproc *vp = a->vproc;
	bool expects = vproc_expects(vp);

	if (expects && a->tsc - vp->poll_tsc > sched.poll_ticks)
		return;		/* it is time for that: find_work does it */
	struct thread *t = pick(vp, NULL, POST_NONE);

	if (!t || !can_run(a, t))
		return;
	be_awake(vp);
	if (expects || work_exists(vp))
		vproc_arm(vp);
	if (unlikely(look_is_due(vp)))
		vproc_look(a, &a->idle);
	switch_to(a, &a->idle, t, POST_NONE);
}

static struct thread *find_work(struct activation *a)
{
	struct vproc *vp = a->vproc;
	struct thread *t;

	for (;;) {
		source_refresh(a);
		events_look_and_tell(vp);
		if (unlikely(load_relaxed(&a->idle.pending)))
			idle_signals(a);
		t = look_round(vp);
		if (t) {
			be_awake(vp);
			return t;
		}
		if (vproc_is_allowed(vp))
			idle_bit_set(vp);		/* pairs: idle.announce */
		idle_take_mask(a);		/* before each sleep */
		if ((!work_exists(vp) || !vproc_is_allowed(vp)) && !load_relaxed(&a->idle.pending) && !events_wait(vp))
			idle_sleep(vp);
		idle_bit_clear(vp);
		store_seq_cst(&vp->wake, VW_AWAKE);
		monitor_begin();
	}
}

/*
 * vp turns from the descriptors to a thread, and who else could listen sleeps: what comes meanwhile waits, as what is
 * ready on vp does (consider_kick).
 */
static COLD void leave_descriptors(struct vproc *vp)
{
	if (!vp->wait_tsc)
		vp->wait_tsc = vproc_now(vp);
	if (vp->eager)
		kick_one();
}

void sched_wants_listener(struct thread *me)
{
	if (likely(load_relaxed(&sched.poller)) || !load_relaxed(&sched.nidle))
		return;
	const struct vproc *vp = vproc_of(me);

	/* Else vp is soon in the poller itself; or, where it has been soon enough of late, looks there now and then. */
	if (!vp || !vproc_is_allowed(vp) || (vp->eager && vproc_has_ready(vp)))
		kick_one();
}

/* The native context of an activation: it looks for work while it owns a vproc, else it is a spare. */
void idle_loop(struct activation *a)
{
	for (;;) {
		uint64_t owner = load_acquire(&a->vproc->owner);

		if (owner != (uint64_t)(uintptr_t)a) {
			if (owner & VP_TENTATIVE)
				let_spare_run(0);	/* it will see in_rt and step back */
			else if (spare_wait(a))
				run_after_block(a);
			continue;
		}
		struct thread *t = find_work(a);

		if (!can_run(a, t))
			continue;
		if (a->vproc->cpu >= 0 && !sched.keeps_cpus)
			a->vproc->cpu = (int)arch_cpu();
		vproc_arm_if_wise(a->vproc);
		if (load_relaxed(&sched.nidle) && nobody_listens())
			leave_descriptors(a->vproc);
		vproc_look(a, &a->idle);
		switch_to(a, &a->idle, t, POST_NONE);
	}
}

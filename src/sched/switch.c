// SPDX-License-Identifier: BSD-2-Clause
/*
 * Entering the runtime, leaving it, and changing threads.
 *
 * A switch goes straight from thread to thread on the same activation.  What must be done with the
 * one that was left (queue it again, declare it parked, free it) can be done only when its
 * registers are saved and its stack is no longer in use: so the next thread does it first thing
 * (`post`), inside the runtime.
 */
#include "../upcall/events.h"
#include "point.h"
#include "policy.h"
#include "vproc.h"

struct sched sched;
struct au32 sched_counts_masks, sched_unsettled, sched_is_confined, sched_special, sched_lone;
struct sched_hooks sched_hooks;
bool sched_is_started, sched_binds_blockers;

/* By whoever comes back, racily: any value will do. */
static void note_length(struct vproc *vp, uint64_t ns)
{
	const uint64_t short_ns = 50 * NS_PER_US;
	uint32_t patience = vp->patience;

	if (ns < short_ns)
		vp->patience = PATIENCE;
	else if (patience)
		vp->patience = patience - 1;
}

/* How long this activation ran beside its replacement: since the kernel gave it the CPU again. */
static void note_overlap(struct activation *a)
{
	uint64_t since = source_in_since(a), now = now_ns();	/* in this order */
	uint64_t lost_ns = activation_lost_ns(a, now);

	fetch_add(&sched.upcalls_unblocked, 1);
	if (since <= lost_ns)
		return;			/* or nobody knows */
	note_length(a->vproc, since - lost_ns);
	fetch_add(&sched.overlaps, 1);
	uint64_t rested = monitor_rested_until(now);

	since = since > rested ? since : rested;
	if (now - since > source_overlap_bound(a))
		fetch_add(&sched.overlaps_late, 1);
	if (now - since > load_relaxed(&sched.overlap_max_ns))
		store_relaxed(&sched.overlap_max_ns, now - since);
}

/* The spare of this CPU is making up its mind.  With sched_ext it has the CPU only while we block. */
void let_spare_run(int tries)
{
	enum { YIELDS = 10, NAP_NS = 20000 };

	if (sched.keeps_cpus || tries >= YIELDS)
		sys_nap(NAP_NS);
	else
		sys_yield();
}

/*
 * It sees in_rt: let it.  Signals of ours that come meanwhile must not enter here again, one on top of another:
 * the monitor sends them until we are off.
 */
static void let_spare_decide(struct thread *me, int tries)
{
	me->awaits_spare = true;
	compiler_barrier();
	me->in_rt = 0;
	let_spare_run(tries);
	me->in_rt = 1;
	compiler_barrier();
	me->awaits_spare = false;
}

bool bind_soon(struct thread *me)
{
	if (!sched_binds_blockers || me->is_bare || sched_has_policy)
		return false;
	me->binds_soon = true;
	fetch_or(&me->pending, PEND_SIGNAL);
	return true;
}

/*
 * It blocked in the kernel, others had its vproc, and it has just been seen to be back.  A short block costs more
 * than it lasts; a single long one says little of what the thread does.
 */
static void count_block(struct thread *me)
{
	enum { LONG_ONES = 8, SHORT_ONES = 256, TICKS_SHIFT = 10 };
	const struct activation *a = me->act;
	uint64_t ran = a->lost_ticks > a->tsc ? a->lost_ticks - a->tsc : 0, away = arch_ticks() - a->lost_ticks;
	uint64_t most = sched.blocks_ticks / LONG_ONES, least = sched.blocks_ticks / SHORT_ONES;
	uint64_t sum = (uint64_t)me->kticks_blocked << TICKS_SHIFT;

	sum += away > most ? most : away < least ? least : away;
	sum -= ran < sum ? ran : sum;
	me->kticks_blocked = (uint32_t)(sum >> TICKS_SHIFT);
	if (sum >= sched.blocks_ticks && bind_soon(me))
		me->kticks_blocked = 0;		/* if it cannot be bound now: not asked again at once */
}

/* The thread's activation lost its vproc: wait, off this activation, for a turn on another. */
static COLD void rt_lost(struct thread *me)
{
	for (int tries = 0;; tries++) {
		struct activation *a = me->act;
		uint64_t owner = load_acquire(&a->vproc->owner);

		if (owner == (uint64_t)(uintptr_t)a)
			return;
		if (!(owner & VP_TENTATIVE))
			break;
		let_spare_decide(me, tries);
	}
	note_overlap(me->act);
	count_block(me);
	point_unblocked(me->act, me);
	/* It has computed until it was lost, and a moment since; in between it was blocked. */
	cpu_charge(me->act, me, me->act->lost_ticks > me->act->tsc ? me->act->lost_ticks : me->act->tsc);
	me->act->tsc = arch_ticks();
	fetch_and(&me->pending, ~(uint32_t)PEND_PREEMPT);	/* it gives way now, not when it has its turn */
	switch_to(me->act, me, &me->act->idle, POST_LOST);
}

void rt_regain(struct thread *me)
{
	if (likely(me->kind == THREAD_USER) && unlikely(!is_owner(me->act)))
		rt_lost(me);
}

void rt_enter_as(struct thread *me)
{
	INJECT_CHECK(!me->in_rt);
	me->in_rt = 1;
	compiler_barrier();
	rt_regain(me);
}

struct thread *rt_enter(void)
{
	struct thread *me = thread_self();

	rt_enter_as(me);
	return me;
}

static COLD void leave_pending(struct thread *me)
{
	uint32_t bits = fetch_and(&me->pending, ~(uint32_t)(PEND_PREEMPT | PEND_SIGNAL));

	while ((bits & PEND_PREEMPT) && me->kind == THREAD_USER && !sched_defers(me)) {
		me->in_rt = 1;
		compiler_barrier();
		rt_regain(me);
		count_up(&me->act->vproc->preemptions);
		events_post(me->act->vproc, UPCALL_REPORT_SLICE, me, me->act);
		schedule(me, POST_PREEMPT);
		me->in_rt = 0;
		compiler_barrier();
		/* Preempted again: look_after_park. */
		bits = (bits & PEND_SIGNAL) | fetch_and(&me->pending, ~(uint32_t)(PEND_PREEMPT | PEND_SIGNAL));
	}
	if ((bits & PEND_SIGNAL) && sched_hooks.pending)
		sched_hooks.pending(me, bits, NULL);
}

void rt_leave(struct thread *me)
{
	compiler_barrier();
	me->in_rt = 0;
	compiler_barrier();
	if (unlikely(load_relaxed(&me->pending) & (PEND_PREEMPT | PEND_SIGNAL)))
		leave_pending(me);
}

/*
 * Whom that woke goes before a thread that computes, which is the caller; but where others were woken before,
 * this is its turn.
 */
static COLD void look_after_park(struct vproc *vp)
{
	bool is_its_turn = runq_has_hot_before(&vp->runq);
	struct thread *me = self_ptr;

	housekeeping(vp);
	if (!is_its_turn && me->kind == THREAD_USER && is_hog(me) && runq_has_hot_before(&vp->runq) && !me->nopreempt)
		fetch_or(&me->pending, PEND_PREEMPT);
}

/* From when the lock is dropped t may run elsewhere, or be gone. */
static __attribute__((noinline)) void finish_park_with_more(struct activation *a, struct thread *t, bool is_interrupted)
{
	void (*then)(void *) = t->parked_fn;
	void *then_arg = t->parked_arg;

	store_relaxed(&t->state, T_PARKED);
	lock_drop(a->post_lock);
	if (then)
		then(then_arg);
	if (is_interrupted)
		sched_hooks.interrupted(t);
}

/* t is off its stack: whoever gets the lock may wake it. */
static inline void finish_park(struct activation *a, struct thread *t)
{
	/* A signal handler may have found it on its way here; who comes after sees it queued. */
	bool is_interrupted = load_relaxed(&t->pending) & t->wait_can_interrupt;

	if (likely(!is_interrupted && !t->parked_fn)) {
		store_relaxed(&t->state, T_PARKED);
		lock_drop(a->post_lock);
	} else {
		finish_park_with_more(a, t, is_interrupted);
	}
	if (unlikely(a->vproc->is_poll_due))
		look_after_park(a->vproc);
}

/* Only by injection: t, made ready here, goes anywhere. */
static COLD void migrate(struct thread *t)
{
	t->last_vproc = &sched.vprocs[inject_below(vprocs_made())];
	ready_remote(t);
}

/* t, amid a fork, has been taken off this kernel thread: it may have become a parent by then. */
static inline void note_fork(struct activation *a, const struct thread *t)
{
	if (unlikely(t->forks))
		a->has_forked = true;
}

/*
 * A thread was made ready on vp while another vproc idles.  Waking that one costs both of them more
 * than most threads run, and perhaps another program its processor; and usually the waker is about to
 * block and then runs the woken one itself.  So wake-ups are left to that where it has turned out well
 * lately (idle.c, learn_from_wait).
 */
static __attribute__((noinline)) void consider_kick(struct vproc *vp)
{
	if (self_ptr->kind == THREAD_IDLE && runq_length(&vp->runq) <= 1)
		return;				/* for the idle loop itself, which runs it next */
	if (!vp->wait_tsc)
		vp->wait_tsc = vproc_now(vp);
	if (vp->eager)
		kick_one();
}

/* t gave way, and more than it waits on vp while another vproc idles. */
static __attribute__((noinline)) void consider_sharing(struct vproc *vp, const struct thread *t)
{
	if (!load_relaxed(&sched.cpus_are_short) || is_hog(t))
		kick_one();
	else
		consider_kick(vp);
}

/*
 * This kernel thread is about to take another mask, `mask`, than that of the thread that left it: what that thread's
 * own calls have brought, and it blocks, goes with it before others admit it.
 */
static inline void keep_own_signals(const struct activation *a, uint64_t mask)
{
	if (unlikely(a->post == POST_LOST))
		mask = 0;			/* it goes on elsewhere, perhaps to look for them */
	uint64_t own = load_relaxed(&a->kmask) & ~mask & SCHED_OWN_SIGNALS;

	if (unlikely(own) && sched_hooks.keep_signals && a->post_thread && a->post_thread->kind == THREAD_USER)
		sched_hooks.keep_signals(a->post == POST_EXIT ? NULL : a->post_thread, own);
}

static inline void finish_yield(struct activation *a, struct thread *t, enum post post)
{
	if (post == POST_PREEMPT) {
		note_fork(a, t);
		keep_own_signals(a, 0);		/* perhaps right behind its call, and the next one has the same mask */
	}
	if (unlikely(sched_has_policy)) {
		policy_left(t, post);
		return;
	}
	if (inject_now(INJECT_MIGRATE, 2)) {
		migrate(t);
		return;
	}
	store_relaxed(&t->state, T_READY);
	if (post == POST_PREEMPT && t->burst_ticks < sched.slice_ticks)
		runq_push_hot(&a->vproc->runq, t);
	else if (post == POST_PREEMPT)
		runq_push_hog(&a->vproc->runq, t);
	else
		runq_push_yielder(&a->vproc->runq, t);
	if (unlikely(load_relaxed(&sched.nidle)) && runq_length(&a->vproc->runq) > 1)
		consider_sharing(a->vproc, t);
}

static struct vproc *home_of(const struct thread *t)
{
	return t->last_vproc && vproc_is_allowed(t->last_vproc) ? t->last_vproc : &sched.vprocs[0];
}

/* It gave way amid its work, and may hold what others wait for: where many do, it goes on at the next switch. */
static COLD void finish_lost(struct activation *a, struct thread *t)
{
	note_fork(a, t);
	if (xchg_acq_rel(&a->is_lost, 0))
		fetch_sub(&sched.nlost, 1);
	store_relaxed(&t->state, T_READY);	/* who is told finds it so, with its registers */
	events_post(a->vproc, UPCALL_REPORT_UNBLOCKED, t, a);
	if (sched_has_policy) {
		t->goes_first = sched_is_in_section(t);		/* for policies that look: policy_goes_first */
		policy_ready(t, UPCALL_READY_UNBLOCKED);
	} else if (sched_is_in_section(t)) {
		ready_first(t);
	} else {
		t->goes_first = runq_has_many_hot(&home_of(t)->runq);
		ready_remote(t);
	}
}

/* The child runs; whoever has nothing to do may go on with its parent. */
static void finish_spawn(struct activation *a, struct thread *parent)
{
	struct runq *q = &a->vproc->runq;

	store_relaxed(&parent->state, T_READY);
	runq_push_parent(q, parent);
	if (load_relaxed(&q->has_thieves)) {
		fence_seq_cst();		/* pairs: idle.announce, arm */
		if (load_relaxed(&sched.nidle))
			consider_kick(a->vproc);
	}
}

static inline void finish_exit(struct activation *a, struct thread *t)
{
	store_relaxed(&t->state, T_DONE);
	if (t->is_standard)
		warm_pass_stack(a->vproc, t);
	else if (unlikely(t->frame_stack != NULL))
		preempt_forget(t);
	sched_hooks.exited(t);
}

static __attribute__((noinline)) void do_any_post(struct activation *a, struct thread *t, enum post post)
{
	if (post == POST_PARK)
		finish_park(a, t);
	else if (post == POST_YIELD || post == POST_PREEMPT)
		finish_yield(a, t, post);
	else if (post == POST_EXIT)
		finish_exit(a, t);
	else if (post == POST_SPAWN)
		finish_spawn(a, t);
	else if (post == POST_LOST)
		finish_lost(a, t);
	else if (post == POST_BIND)
		activation_host(t->act, t);
}

/* Where threads are switched to in this way, the one before has mostly left as `usual` says. */
static inline __attribute__((always_inline)) void do_post(struct activation *a, enum post usual)
{
	struct thread *t = a->post_thread;
	enum post post = a->post;

	if (unlikely(post != usual))
		do_any_post(a, t, post);
	else if (usual == POST_PARK)
		finish_park(a, t);
	else if (usual == POST_YIELD)
		finish_yield(a, t, POST_YIELD);
	else if (usual == POST_EXIT)
		finish_exit(a, t);
	else
		finish_spawn(a, t);
}

/* First thing where an activation's native context is switched to. */
void sched_enter_idle(struct activation *a)
{
	keep_own_signals(a, load_relaxed(&sched_idle_kmask));
	do_any_post(a, a->post_thread, a->post);
}

/* First thing on the stack of me, a USER thread that was switched to. */
static inline __attribute__((always_inline)) void begin_turn(struct thread *me, enum post usual)
{
	struct activation *a = me->act;
	bool has_other_mask = load_relaxed(&a->kmask) != me->kmask;

	if (unlikely(has_other_mask))
		keep_own_signals(a, me->kmask);		/* while that thread is no one else's */
	do_post(a, usual);
	store_relaxed(&me->state, T_RUNNING);
	if (unlikely(has_other_mask))
		activation_set_mask(a, me->kmask);
}

/* All of a switch but the registers; prev has been charged for what it computed, if that is due. */
static inline void leave(struct activation *a, struct thread *prev, struct thread *next, enum post post)
{
	prev->left_ticks = a->tsc;
	a->post = post;
	a->post_thread = prev;
	next->act = a;
	store_relaxed(&a->thread, next);
	next->last_vproc = a->vproc;
	if (likely(next->kind == THREAD_USER))
		count_up(&a->vproc->switches);
	point_switch(a, prev, next, post);
	if (next->tls != prev->tls)
		arch_set_tls(next->tls);
}

static inline void charge_if_due(struct activation *a, struct thread *t)
{
	if (unlikely((load_relaxed(&sched_special) & SPECIAL_EXACT) || a->clock_paused))
		cpu_charge(a, t, arch_ticks());
}

void switch_to(struct activation *a, struct thread *prev, struct thread *next, enum post post)
{
	charge_if_due(a, prev);
	if (next->is_bare)
		bare_settle(a, next);
	leave(a, prev, next, post);
	arch_switch(&prev->sp, next->sp);
	if (prev->kind == THREAD_USER)
		begin_turn(prev, POST_PARK);
	else
		sched_enter_idle(prev->act);
}

void sched_spawn_first(struct thread *me, struct thread *t, void (*entry)(void))
{
	struct activation *a = me->act;

	if (unlikely(!load_relaxed(&sched.has_monitor)))
		monitor_start();
	point_create(t);
	t->last_vproc = NULL;
	if (unlikely(me->kind != THREAD_USER || !a->guest_tls || sched_has_policy)) {
		t->sp = arch_context_init(t->stack_start, entry);
		if (sched_has_policy)
			policy_ready(t, UPCALL_READY_NEW);
		else if (me->kind != THREAD_USER)
			ready_remote(t);
		if (me->kind != THREAD_USER || sched_has_policy || !bare_admit(a, t))
			return;			/* when there is a vproc, and a block */
	}
	if (unlikely(look_is_due(a->vproc)))
		vproc_look(a, me);
	charge_if_due(a, me);
	bare_settle(a, t);
	leave(a, me, t, POST_SPAWN);
	a->left_from = ARCH_CALLER;
	arch_switch_first(&me->sp, t->stack_start, entry);
	begin_turn(me, POST_EXIT);
}

/*
 * As switch_to, but prev becomes BOUND and is to go on as the guest of `host`, which gets it when it is off its stack.
 * Who finds it bound never takes the kernel thread that it has left for its own: sched_tid_of says 0 until it is there.
 */
void switch_to_host(struct activation *a, struct thread *prev, struct thread *next,
		    struct activation *host)
{
	prev->act = host;
	compiler_barrier();
	prev->is_one_to_one = true;
	prev->kind = THREAD_BOUND;
	store_relaxed(&thread_has_bound, 1);
	store_release(&sched_lone, NOT_LONE);		/* we are inside, and before it runs elsewhere; pairs: lone */
	switch_to(a, prev, next, POST_BIND);
}

/*
 * A thread that was preempted goes on.  If it computes, nobody here looks at descriptors and timers until it gives
 * way: they are looked at now, and the monitor does from now on.
 */
static COLD void look_before_hog(struct vproc *vp, const struct thread *next)
{
	if (!is_hog(next) || sched_has_policy)
		return;
	if (nobody_listens()) {
		vp->is_poll_due = true;		/* when this one is off its stack, or at its next switch */
		store_relaxed(&vp->looks_left, 0);
	}
	monitor_expect(load_relaxed(&vp->timers.next_ns));
}

/* What few switches need: the next thread, where a look is due, or something is special. */
static __attribute__((noinline)) struct thread *look_and_pick(struct activation *a, struct thread *me, enum post post)
{
	struct vproc *vp = a->vproc;

	if (look_is_due(vp))
		vproc_look(a, me);
	charge_if_due(a, me);
	if (vp->is_poll_due && post != POST_PARK)	/* a parking one still holds a lock */
		housekeeping(vp);
	return pick(vp, me, post);
}

/* There is none, or it cannot run yet; NULL: nobody but me, who goes on.  It can run on a. */
static COLD struct thread *pick_again(struct activation *a, struct thread *me, struct thread *next, enum post post)
{
	struct vproc *vp = a->vproc;

	while (next && !can_run(a, next))
		next = pick(vp, me, post);
	if (next && next->is_bare)
		bare_settle(a, next);
	if (next || ((post == POST_YIELD || post == POST_PREEMPT) && vproc_is_allowed(vp)))
		return next;
	cpu_charge(a, me, arch_ticks());
	return &a->idle;
}

/* Threads that began in one function are likely to have callers in common; before do_post. */
static inline bool came_another_way(const struct thread *me, const void *caller)
{
	const struct activation *a = me->act;

	return a->left_from != caller && a->post_thread->start != me->start;
}

static inline __attribute__((always_inline)) bool schedule_as(struct thread *me, enum post post)
{
	struct activation *a = me->act;
	struct vproc *vp = a->vproc;
	uint32_t left = load_relaxed(&vp->looks_left);	/* relaxed: when the monitor's 0 is lost, the next one does */
	struct thread *next;

	me->burst_ticks = post == POST_PREEMPT ? me->burst_ticks + arch_ticks() - a->tsc : 0;
	if (likely(left && !load_relaxed(&sched_special))) {
		store_relaxed(&vp->looks_left, left - 1);
		next = take_next(vp);
	} else {
		next = look_and_pick(a, me, post);
	}
	if (next && next->is_bare && likely(a->guest_tls != NULL))
		bare_settle(a, next);
	else if (unlikely(!next || next->is_bare) && !(next = pick_again(a, me, next, post)))
		return false;
	if (unlikely(next->burst_ticks))
		look_before_hog(vp, next);
	leave(a, me, next, post);
	a->left_from = ARCH_CALLER;
	arch_switch(&me->sp, next->sp);
	ARCH_RETURN_BY_JUMP_IF(came_another_way(me, ARCH_CALLER));
	begin_turn(me, post == POST_YIELD ? POST_YIELD : POST_PARK);
	return true;
}

/* A USER thread gives its vproc to the next one, or to the idle loop. */
FLAT ARCH_SWITCHES bool schedule(struct thread *me, enum post post)
{
	return schedule_as(me, post);
}

/* What a wake-up of another may be the time for, on vp, where it is queued. */
static __attribute__((noinline)) void look_at_wake(struct vproc *vp)
{
	struct thread *me = self_ptr;

	if (unlikely(load_relaxed(&vp->wake) == VW_BLOCKED)) {
		vproc_unannounce(vp);	/* a handler woke it, amid a blocking call that goes on */
		vproc_arm(vp);
	}
	/* A waker that has run for long, and is not about to wait itself, makes room for whom it woke. */
	if (vp->look_every < LOOKS_ARE_FREQUENT && !load_relaxed(&sched.nidle) && me->kind == THREAD_USER &&
	    load_relaxed(&me->state) == T_RUNNING && sched.slice_ns && arch_ticks() - me->act->tsc > sched.grain_ticks)
		fetch_or(&me->pending, PEND_PREEMPT);
}

/* Caller owns vp.  The woken thread runs next here, unless another vproc gets it first. */
void ready_local(struct vproc *vp, struct thread *t)
{
	if (unlikely(sched_has_policy)) {
		policy_ready(t, UPCALL_READY_WOKEN);
		return;
	}
	if (inject_now(INJECT_MIGRATE, 2)) {
		migrate(t);
		return;
	}
	store_relaxed(&t->state, T_READY);
	runq_push_lifo(&vp->runq, t);		/* pairs: idle.announce, arm */
	/* More say that neither is a call announced, nor are looks frequent. */
	if (unlikely(load_relaxed(&vp->looks_left) < LOOKS_ARE_FREQUENT))
		look_at_wake(vp);
	if (unlikely(load_relaxed(&sched.nidle)))
		consider_kick(vp);
	if (unlikely(vp->watch_until_tsc) && self_ptr->kind == THREAD_USER)
		vproc_arm_watched(vp);
}

/* Caller owns no vproc: an idle one if there is one, else where the thread ran last. */
void ready_remote(struct thread *t)
{
	if (unlikely(sched_has_policy)) {
		policy_ready(t, UPCALL_READY_WOKEN);
		return;
	}
	struct vproc *vp = home_of(t);

	store_relaxed(&t->state, T_READY);
	runq_post(&vp->runq, t);		/* pairs: idle.announce, arm */
	if (load_relaxed(&vp->wake) != VW_AWAKE && idle_bit_clear(vp))
		vproc_kick(vp);
	else if (!kick_one() && !load_relaxed(&sched.nsearching))
		vproc_nudge(vp);
	vproc_arm_if_wise(vp);
}

/* t is amid a section that is not to be preempted: it goes on as soon as the vproc can be had. */
void ready_first(struct thread *t)
{
	struct vproc *vp = home_of(t);

	t->goes_first = true;
	ready_remote(t);		/* from here on t may be running, or gone */
	struct activation *owner = vproc_owner(vp);

	if (owner && sched.slice_ns && load_relaxed(&vp->wake) == VW_AWAKE)
		preempt_send(owner, false);
	monitor_hurry();		/* it may have been refused, or be too late */
}

/* By me. */
static inline void ready_by(struct thread *me, struct thread *t)
{
	/* A USER thread inside the runtime owns its vproc; an idle context may be a spare's. */
	if (likely(me && (me->kind == THREAD_USER || (me->kind == THREAD_IDLE && is_owner(me->act)))))
		ready_local(me->act->vproc, t);
	else
		ready_remote(t);
}

void ready(struct thread *t)
{
	ready_by(self_ptr, t);
}

/*
 * The kernel threads that come with the first new thread are made before anybody can run that: its maker is soon to
 * be back from here, as it is elsewhere.  There are programs that rely on it.
 */
static COLD void before_first_spawn(struct vproc *own)
{
	sched.has_spawned = true;
	kick_one();
	vproc_arm(own);
}

void sched_spawn(struct thread *t)
{
	struct thread *me = self_ptr;

	if (unlikely(!load_relaxed(&sched.has_monitor)))
		monitor_start();
	t->last_vproc = NULL;
	point_create(t);
	if (unlikely(sched_has_policy)) {
		policy_ready(t, UPCALL_READY_NEW);
		return;
	}
	store_relaxed(&t->state, T_READY);
	if (!me || me->kind != THREAD_USER) {
		ready_remote(t);
		return;
	}
	struct vproc *vp = me->act->vproc;

	if (unlikely(!sched.has_spawned))
		before_first_spawn(vp);
	/* pthread_create runs the parent on: the child goes to the end, or to an idle vproc. */
	if (load_relaxed(&vp->runq.has_thieves))
		t->left_ticks = arch_ticks();	/* none takes it for young_ticks, or it might run before our caller goes on */
	runq_push_new(&vp->runq, t);
	if (load_relaxed(&vp->runq.has_thieves))
		fence_seq_cst();		/* pairs: idle.announce, arm */
	if (!load_relaxed(&vp->runq.has_thieves) || !kick_one())
		monitor_hurry();		/* the parent may compute for long */
	vproc_arm_if_wise(vp);
}

static inline __attribute__((always_inline)) void yield_as(struct thread *me)
{
	enum { SHARE = 4096 };		/* of this many times that there is another thread one is for other programs */

	if (unlikely(me->kind != THREAD_USER) || unlikely(!schedule_as(me, POST_YIELD)) ||
	    unlikely(++me->yields % SHARE == 0))
		sys_yield();
}

FLAT ARCH_SWITCHES int sched_yield_now(void)
{
	struct thread *me = rt_enter();

	yield_as(me);
	rt_leave(me);
	return 0;
}

ARCH_SWITCHES void sched_yield_to(struct thread *me, struct thread *t)
{
	if (me->kind == THREAD_USER && !sched_has_policy)
		runq_put_first(&me->act->vproc->runq, t);
	yield_as(me);
}

void sched_turn(struct thread *me)
{
	struct activation *a = me->act;		/* a hint, as is all that is read of it here */

	if (likely(!runq_has_hot(&a->vproc->runq)) || arch_ticks() - a->tsc < sched.turn_ticks || me->nopreempt)
		return;
	rt_enter();
	store_relaxed(&me->act->vproc->looks_left, 0);	/* the next one's turn begins now */
	me->burst_ticks = 0;			/* as if it had waited for what it found at once */
	schedule(me, POST_PREEMPT);
	rt_leave(me);
}

void sched_thread_starts(struct thread *me)
{
	begin_turn(me, POST_SPAWN);
}

/*
 * Where a system call sets the TLS base, a filter that is made for libc's threads may refuse that: me's kernel thread
 * ends on me's block, which is nobody's after that, nor is the stack.
 */
static COLD void keep_tls(struct activation *a, struct thread *me)
{
	me->stack_class = NULL;
	a->idle.tls = me->tls;
}

void sched_exit(struct thread *me)
{
	struct activation *a = me->act;

	if (me->is_one_to_one) {	/* its kernel thread ends, too */
		if (unlikely(!arch_has_fsgsbase) && load_relaxed(&sched_is_confined))
			keep_tls(a, me);
		switch_to(a, me, &a->idle, POST_EXIT);
	}
	bool is_joined = load_acquire(&me->life) & LIFE_JOINING;
	struct thread *joiner = is_joined && !sched_has_policy ? sched_hooks.exiting(me) : NULL;

	if (joiner && can_run(a, joiner)) {	/* straight to it: it finds us gone when it looks */
		point_wake(joiner);
		switch_to(a, me, joiner, POST_EXIT);
	}
	me->joiner_is_next = false;
	schedule_as(me, POST_EXIT);
	panic("thread %u ran on after its end", me->id);
}

void park_bound_begin(struct thread *me)
{
	point_park(me);
	me->left_ticks = arch_ticks();
	store_release(&me->state, T_PARKING);
}

void park_bound_end(struct thread *me)
{
	me->left_ticks = arch_ticks();
	store_relaxed(&me->state, T_RUNNING);
	point_run(me);
}

ARCH_SWITCHES void park(struct thread *me, struct lock *lock)
{
	struct activation *a = me->act;

	me->kticks_blocked = 0;
	count_up(&a->vproc->parks);
	if (me->wait_kind == WAIT_IO)
		count_up(&a->vproc->io_waits);
	a->post_lock = lock;
	schedule_as(me, POST_PARK);
}

static COLD void unpark_bound(struct thread *t, uint32_t state)
{
	if (state != T_PARKING)
		panic("thread %u woken in state %u", t->id, state);
	store_release(&t->state, T_NOTIFIED);
	fetch_or(&t->pending, PEND_WOKEN);		/* pairs: lot.bound */
	sys_futex_wake(&t->pending, 1);
}

void unpark_by(struct thread *me, struct thread *t)
{
	uint32_t state = load_acquire(&t->state);

	point_wake(t);
	if (likely(state == T_PARKED))
		ready_by(me, t);
	else
		unpark_bound(t, state);
}

void unpark(struct thread *t)
{
	unpark_by(self_ptr, t);
}

void sched_set_kmask(struct thread *me, uint64_t mask)
{
	uint32_t was = me->in_rt;

	me->in_rt = 1;
	compiler_barrier();
	me->kmask = mask;
	if (me->kind == THREAD_USER)
		activation_set_mask(me->act, mask);
	else
		sys_sigmask(SIG_SETMASK, &mask, NULL);
	compiler_barrier();
	me->in_rt = was;
}

void sched_note_kmask(struct thread *me, uint64_t mask)
{
	me->kmask = mask;
	if (me->kind == THREAD_USER)
		activation_note_mask(me->act, mask);
}

void sched_spawn_on(struct thread *t, unsigned vproc)
{
	if (unlikely(!load_relaxed(&sched.has_monitor)))
		monitor_start();
	t->last_vproc = &sched.vprocs[vproc % vprocs_made()];
	point_create(t);
	if (sched_has_policy)
		policy_ready(t, UPCALL_READY_NEW);
	else
		ready_remote(t);
}

int sched_vproc_of(struct thread *me)
{
	return me->kind == THREAD_USER ? (int)me->act->vproc->id : -1;
}

unsigned sched_vprocs(void)
{
	return vprocs_made();
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Entering the runtime, leaving it, and changing threads.
 *
 * A switch goes straight from thread to thread on the same activation.  What must be done with the
 * one that was left (queue it again, declare it parked, free it) can be done only when its
 * registers are saved and its stack is no longer in use: so the next thread does it first thing
 * (`post`), inside the runtime.
 */
#include "point.h"
#include "vproc.h"

struct sched sched;
struct au64 sched_idle_kmask;
struct sched_hooks sched_hooks;
bool sched_is_started;

/* How long this activation ran beside its replacement: since the kernel gave it the CPU again. */
static void note_overlap(struct activation *a)
{
	uint64_t now = now_ns(), since = source_in_since(a);

	fetch_add(&sched.upcalls_unblocked, 1);
	if (since > a->lost_ns && now - since > load_relaxed(&sched.overlap_max_ns))
		store_relaxed(&sched.overlap_max_ns, now - since);
}

/* The thread's activation lost its vproc: wait, off this activation, for a turn on another. */
static __attribute__((noinline)) void rt_lost(struct thread *me)
{
	for (;;) {
		struct activation *a = me->act;
		uint64_t owner = load_acquire(&a->vproc->owner);

		if (owner == (uint64_t)(uintptr_t)a)
			return;
		if (!(owner & VP_TENTATIVE))
			break;
		/* The spare of this CPU is making up its mind, and sees in_rt: let it. */
		me->in_rt = 0;
		sys_yield();
		me->in_rt = 1;
		compiler_barrier();
	}
	note_overlap(me->act);
	point_unblocked(me->act, me);
	switch_to(me->act, me, &me->act->idle, POST_LOST, arch_ticks());
}

struct thread *rt_enter(void)
{
	struct thread *me = thread_self();

	me->in_rt = 1;
	compiler_barrier();
	if (me->kind == THREAD_USER && unlikely(!is_owner(me->act)))
		rt_lost(me);
	return me;
}

static __attribute__((noinline)) void leave_pending(struct thread *me)
{
	uint32_t bits = fetch_and(&me->pending, ~(uint32_t)(PEND_PREEMPT | PEND_SIGNAL));

	if ((bits & PEND_PREEMPT) && me->kind == THREAD_USER) {
		me->in_rt = 1;
		compiler_barrier();
		if (unlikely(!is_owner(me->act)))
			rt_lost(me);
		schedule(me, POST_PREEMPT);
		me->in_rt = 0;
		compiler_barrier();
		bits |= load_relaxed(&me->pending);
	}
	if ((bits & PEND_SIGNAL) && sched_hooks.pending)
		sched_hooks.pending(me, bits);
}

void rt_leave(struct thread *me)
{
	compiler_barrier();
	me->in_rt = 0;
	compiler_barrier();
	if (unlikely(load_relaxed(&me->pending) & (PEND_PREEMPT | PEND_SIGNAL)))
		leave_pending(me);
}

static void do_post(struct activation *a)
{
	struct thread *t = a->post_thread;
	enum post post = a->post;
	uint32_t parking = T_PARKING;

	a->post = POST_NONE;
	switch (post) {
	case POST_NONE:
		break;
	case POST_PARK:
		if (cas_seq_cst(&t->state, &parking, T_PARKED))
			break;
		ready_local(a->vproc, t);	/* it was woken while it was leaving */
		break;
	case POST_YIELD:
	case POST_PREEMPT:
		store_relaxed(&t->state, T_READY);
		runq_push(&a->vproc->runq, t);
		if (runq_length(&a->vproc->runq) > 1)
			kick_one();
		break;
	case POST_LOST:
		if (xchg_acq_rel(&a->is_lost, 0))
			fetch_sub(&sched.nlost, 1);
		store_relaxed(&t->state, T_READY);
		ready_remote(t);
		break;
	case POST_BIND:
		activation_host(t->act, t);
		break;
	case POST_EXIT:
		store_relaxed(&t->state, T_DONE);
		sched_hooks.exited(t);
		break;
	}
}

/* The first time an activation's native context is switched to. */
void sched_enter_idle(struct activation *a)
{
	do_post(a);
}

/* First thing on the stack of whoever was switched to. */
static void finish_switch(void)
{
	struct thread *me = self_ptr;
	struct activation *a = me->act;

	do_post(a);
	if (me->kind == THREAD_USER) {
		store_relaxed(&me->state, T_RUNNING);
		if (unlikely(a->kmask != me->kmask))
			activation_set_mask(a, me->kmask);
	}
}

void switch_to(struct activation *a, struct thread *prev, struct thread *next, enum post post,
	       uint64_t tsc)
{
	cpu_charge(a, prev, tsc);
	prev->left_ticks = tsc;
	a->tsc = tsc;
	a->clock_paused = false;
	a->post = post;
	a->post_thread = prev;
	next->act = a;
	store_relaxed(&a->thread, next);
	next->last_vproc = a->vproc;
	if (next->kind == THREAD_USER)
		count_up(&a->vproc->switches);
	point_switch(a, prev, next, post);
	arch_set_tls(next->tls);
	arch_switch(&prev->sp, next->sp);
	finish_switch();
}

/* As switch_to, but prev is to go on as the guest of `host`, which gets it when it is off its stack. */
void switch_to_host(struct activation *a, struct thread *prev, struct thread *next,
		    struct activation *host, uint64_t tsc)
{
	prev->act = host;
	switch_to(a, prev, next, POST_BIND, tsc);
}

/* A USER thread gives its vproc to the next one, or to the idle loop. */
void schedule(struct thread *me, enum post post)
{
	struct activation *a = me->act;
	uint64_t tsc = arch_ticks();

	if (unlikely(load_relaxed(&a->vproc->wake) == VW_BLOCKED))
		vproc_unannounce(a->vproc);	/* preempted, or in a handler, amid a blocking call */
	struct thread *next = pick(a->vproc, tsc);

	if (!next) {
		if ((post == POST_YIELD || post == POST_PREEMPT) && vproc_is_allowed(a->vproc))
			return;
		next = &a->idle;
	}
	switch_to(a, me, next, post, tsc);
}

/*
 * A thread was made ready on vp while another vproc idles.  Waking that one costs both of them more
 * than most threads run, and usually the waker is about to block and then runs the woken one itself.
 * So wake-ups of one thread are left to that when it has turned out well lately (`lazy`); it is
 * found out when the woken vproc came for nothing (idle.c), and un-learnt when the thread waited.
 */
static void consider_kick(struct vproc *vp)
{
	bool alone = runq_length(&vp->runq) <= 1;

	if (alone && self_ptr->kind == THREAD_IDLE)
		return;				/* for the idle loop itself, which runs it next */
	if (alone && vp->lazy) {
		vp->lazy--;
		vp->push_tsc = arch_ticks();
		return;
	}
	kick_one();
}

/* Caller owns vp.  The woken thread runs next here, unless another vproc gets it first. */
void ready_local(struct vproc *vp, struct thread *t)
{
	store_relaxed(&t->state, T_READY);
	runq_push_lifo(&vp->runq, t);		/* a full barrier; pairs: idle.announce, arm */
	if (unlikely(load_relaxed(&vp->wake) == VW_BLOCKED)) {
		vproc_unannounce(vp);	/* a handler woke it, amid a blocking call that goes on */
		vproc_arm(vp);
	}
	if (load_relaxed(&sched.nidle))
		consider_kick(vp);
	else if (self_ptr->kind == THREAD_USER && sched.slice_ns &&
		 arch_ticks() - self_ptr->act->tsc > sched.grain_ticks)
		fetch_or(&self_ptr->pending, PEND_PREEMPT);	/* the waker has had its grain */
	if (unlikely(!load_relaxed(&vp->armed)) && self_ptr->kind == THREAD_USER)
		vproc_arm_if_wise(vp);
}

/* Caller owns no vproc: an idle one if there is one, else where the thread ran last. */
void ready_remote(struct thread *t)
{
	struct vproc *vp = t->last_vproc && vproc_is_allowed(t->last_vproc) ? t->last_vproc : &sched.vprocs[0];

	store_relaxed(&t->state, T_READY);
	runq_post(&vp->runq, t);		/* pairs: idle.announce, arm */
	if (load_relaxed(&vp->wake) != VW_AWAKE && idle_bit_clear(vp))
		vproc_kick(vp);
	else if (!kick_one() && !load_relaxed(&sched.nsearching))
		vproc_nudge(vp);
	vproc_arm_if_wise(vp);
}

void ready(struct thread *t)
{
	struct thread *me = self_ptr;

	if (me && me->kind != THREAD_BOUND && is_owner(me->act))
		ready_local(me->act->vproc, t);
	else
		ready_remote(t);
}

void sched_spawn(struct thread *t)
{
	struct thread *me = self_ptr;

	if (unlikely(!load_relaxed(&sched.has_monitor)))
		monitor_start();
	t->last_vproc = NULL;
	point_create(t);
	store_relaxed(&t->state, T_READY);
	if (!me || me->kind != THREAD_USER) {
		ready_remote(t);
		return;
	}
	struct vproc *vp = me->act->vproc;

	/* pthread_create runs the parent on: the child goes to the end, or to an idle vproc. */
	runq_push(&vp->runq, t);
	fence_seq_cst();			/* pairs: idle.announce, arm */
	kick_one();
	vproc_arm_if_wise(vp);
}

void sched_yield_now(struct thread *me)
{
	if (me->kind == THREAD_USER)
		schedule(me, POST_YIELD);
	else
		sys_yield();
}

void sched_thread_starts(struct thread *me)
{
	(void)me;
	finish_switch();
}

void sched_exit(struct thread *me)
{
	struct activation *a = me->act;

	if (me->is_one_to_one)	/* its kernel thread becomes a spare */
		switch_to(a, me, &a->idle, POST_EXIT, arch_ticks());
	struct thread *joiner = sched_hooks.exiting(me);

	if (joiner) {		/* straight to it: it finds us gone when it looks */
		point_wake(joiner);
		switch_to(a, me, joiner, POST_EXIT, arch_ticks());
	}
	schedule(me, POST_EXIT);
	panic("thread %u ran on after its end", me->id);
}

void park_begin(struct thread *me)
{
	point_park(me);
	store_release(&me->state, T_PARKING);
}

void park_abort(struct thread *me)
{
	store_relaxed(&me->state, T_RUNNING);
	point_run(me);
}

void park(struct thread *me)
{
	if (me->kind == THREAD_USER) {
		count_up(&me->act->vproc->parks);
		if (me->wait_kind == WAIT_IO)
			count_up(&me->act->vproc->io_waits);
		if (load_acquire(&me->state) == T_PARKING)
			schedule(me, POST_PARK);
		else
			point_notified(me);
	} else {
		while (load_acquire(&me->state) == T_PARKING)
			sys_futex_wait(&me->state, T_PARKING, NEVER);
		point_run(me);
	}
	store_relaxed(&me->state, T_RUNNING);
}

void unpark(struct thread *t)
{
	uint32_t state = load_acquire(&t->state);

	point_wake(t);
	if (state == T_PARKING && cas_seq_cst(&t->state, &state, T_NOTIFIED)) {
		if (t->kind == THREAD_BOUND)
			sys_futex_wake(&t->state, 1);
		return;
	}
	if (state != T_PARKED)
		panic("thread %u woken in state %u", t->id, state);
	ready(t);
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
		me->act->kmask = mask;
}

unsigned sched_vprocs(void)
{
	return sched.nvprocs;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "policy.h"

#include <errno.h>
#include <string.h>

#include "../upcall/events.h"

static const unsigned ALL_FLAGS = UPCALL_POLICY_PRIORITIES | UPCALL_POLICY_EXCHANGES;

struct upcall_policy policy;
bool sched_has_policy, sched_has_priorities;
static bool is_from_environment;

/* What there is without a policy; no function of its own. */
static const struct upcall_policy stealing = { .size = sizeof(stealing), .name = "stealing" };

const struct upcall_policy *policy_named(const char *name)
{
	static const struct upcall_policy *const all[] = { &stealing, &policy_priority, &policy_fifo };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

static void use(const struct upcall_policy *p)
{
	policy = *p;
	sched_has_policy = policy.enqueue;
	sched_has_priorities = policy.flags & UPCALL_POLICY_PRIORITIES;
	thread_want_of_locks(LOCKS_LEND, sched_has_priorities);
}

void policy_configure(const char *name)
{
	const struct upcall_policy *p = name ? policy_named(name) : NULL;

	is_from_environment = p;
	if (p)
		use(p);
}

int sched_set_policy(const struct upcall_policy *p)
{
	struct upcall_policy ours = { 0 };

	if (p->size < sizeof(p->size))
		return -EINVAL;
	for (size_t i = sizeof(ours); i < p->size; i++)
		if (((const char *)p)[i])
			return -E2BIG;
	memcpy(&ours, p, p->size < sizeof(ours) ? p->size : sizeof(ours));
	bool is_whole = ours.enqueue && ours.dequeue && ours.count;

	if ((p != &stealing && !is_whole) || (ours.flags & ~ALL_FLAGS) || ours.reserved)
		return -EINVAL;
	if (!is_from_environment)
		use(&ours);
	return 0;
}

int policy_start(void)
{
	int err = policy.start ? policy.start(vprocs_made()) : 0;

	return err ? err : events_start();
}

bool policy_may_grow(void)
{
	return !policy.start || is_from_environment;
}

void sched_set_special(uint32_t bit, bool is_so)
{
	if (is_so)
		fetch_or(&sched_special, bit);
	else
		fetch_and(&sched_special, ~bit);
}

void policy_limit(unsigned n)
{
	sched_set_special(SPECIAL_POLICY, sched_has_policy);
	sched_set_special(SPECIAL_LIMIT, n < vprocs_made());
	store_seq_cst(&sched.stealing_limit, sched_has_policy ? 0 : n);
	store_seq_cst(&sched.limit, n);
}

void policy_serve(void)
{
	for (unsigned i = 0; i < load_relaxed(&sched.limit); i++)
		if (policy_count(&sched.vprocs[i]) && idle_bit_clear(&sched.vprocs[i]))
			vproc_kick(&sched.vprocs[i]);
}

/* What waits in a queue of a vproc's own may be another's now. */
void policy_follow(unsigned n)
{
	if (policy.limit)
		policy.limit(n);
	if (sched_has_policy)
		policy_serve();
}

enum upcall_ready policy_reason(const struct thread *t, enum post post)
{
	if (post == POST_YIELD)
		return UPCALL_READY_YIELDED;
	return t->burst_ticks < sched.slice_ticks || !sched.slice_ticks ? UPCALL_READY_PREEMPTED
									  : UPCALL_READY_EXPIRED;
}

/*
 * t may have been queued by its exchange for another, amid the switch to which its stack is in use still.  Who
 * waits here has made its own exchange later than t, if any, and one only: so nobody waits in a circle.
 */
static void await_stack(const struct thread *t)
{
	enum { SPINS = 100 };

	for (int tries = 0; unlikely(load_acquire(&t->state) != T_READY); tries++)	/* pairs: policy.left */
		if (tries < SPINS)
			arch_pause();
		else
			let_spare_run(tries - SPINS);
}

struct thread *policy_pick(struct vproc *vp, struct thread *me, enum post post)
{
	bool goes_on = post == POST_YIELD || post == POST_PREEMPT;
	enum upcall_ready why = goes_on ? policy_reason(me, post) : UPCALL_READY_WOKEN;

	if (goes_on && me->is_exchanged) {	/* for one that cannot run here: the idle loop finds another */
		cpu_charge(me->act, me, arch_ticks());
		return &me->act->idle;
	}
	if (!vproc_is_allowed(vp))
		return NULL;
	for (uint32_t n = *vp->visitors; unlikely(n && *vp->visitors); n--)
		sys_yield();		/* as where threads are stolen: idle.c */
	upcall_t next = policy.dequeue(vp->id, goes_on ? policy_handle(me) : NULL, why);

	if (!next && why == UPCALL_READY_EXPIRED)
		me->burst_ticks = 0;	/* nobody to go before it: it has another slice */
	if (!next)
		return NULL;
	if (goes_on)
		me->is_exchanged = policy.flags & UPCALL_POLICY_EXCHANGES;
	await_stack(policy_thread(next));
	return policy_thread(next);
}

/* The vproc that the caller owns, or NULL. */
static struct vproc *own_vproc(const struct thread *me)
{
	if (!me || me->kind == THREAD_BOUND || !me->act || (me->kind == THREAD_IDLE && !is_owner(me->act)))
		return NULL;
	return me->act->vproc;
}

/* A vproc that is idle will run what is ready; or one that looks for work already. */
static bool wake_idle(struct vproc *own, int target)
{
	if (target < 0) {
		if (own && self_ptr->kind == THREAD_IDLE && policy_count(own) <= 1)
			return true;		/* it is for ourselves */
		return load_relaxed(&sched.nidle) && kick_one();
	}
	struct vproc *vp = &sched.vprocs[target];

	if (vp == own)
		return self_ptr->kind == THREAD_IDLE;
	if (!idle_bit_clear(vp))
		return false;
	vproc_kick(vp);
	return true;
}

static bool preempt_on(struct vproc *vp)
{
	struct activation *owner = vproc_owner(vp);

	if (!owner || load_relaxed(&vp->wake) != VW_AWAKE || !policy_preempts(vp, load_relaxed(&owner->thread)))
		return false;
	events_post(vp, UPCALL_REPORT_SIGNAL, NULL, NULL);
	preempt_send(owner, false);
	monitor_hurry();		/* which tries again if that was refused */
	return true;
}

/* Some vproc that runs what should wait makes room. */
static void preempt(struct vproc *own, int target)
{
	unsigned n = load_relaxed(&sched.limit);

	if (!policy.preempts || !sched.slice_ns)
		return;
	if (own && (target < 0 || own->id == (unsigned)target) && policy_preempts(own, self_ptr)) {
		fetch_or(&self_ptr->pending, PEND_PREEMPT);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (&sched.vprocs[i] != own && (target < 0 || i == (unsigned)target) && preempt_on(&sched.vprocs[i]))
			return;
}

/* Something is ready. */
static void announce(int target)
{
	struct vproc *own = own_vproc(self_ptr);

	fence_seq_cst();		/* pairs: idle.announce, arm */
	if (own && load_relaxed(&own->wake) == VW_BLOCKED) {
		vproc_unannounce(own);	/* as in ready_local */
		vproc_arm(own);
	}
	if (!wake_idle(own, target))
		preempt(own, target);
	if (own)
		vproc_arm_if_wise(own);
}

void policy_ready(struct thread *t, enum upcall_ready why)
{
	int hint = t->last_vproc && vproc_is_allowed(t->last_vproc) ? (int)t->last_vproc->id : UPCALL_ANY_VPROC;

	store_relaxed(&t->state, T_READY);
	announce(policy.enqueue(policy_handle(t), why, hint));
}

void policy_left(struct thread *t, enum post post)
{
	if (!t->is_exchanged) {
		policy_ready(t, policy_reason(t, post));
		return;
	}
	t->is_exchanged = false;
	store_release(&t->state, T_READY);		/* pairs: policy.left */
	announce(UPCALL_ANY_VPROC);
}

void sched_set_priority_now(struct thread *t, int priority)
{
	store_relaxed(&t->priority_now, (uint32_t)priority);
	if (policy.changed)
		policy.changed(policy_handle(t));
}

void sched_reconsider(void)
{
	if (sched_has_policy)
		announce(UPCALL_ANY_VPROC);
}

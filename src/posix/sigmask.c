// SPDX-License-Identifier: BSD-2-Clause
/*
 * Masks: one for each thread, and the set that nobody admits for idle activations.
 *
 * blockers[s] counts the live threads that block s; where it reaches threads.live, idle activations
 * block s too.  A thread with an empty mask is not counted anywhere, so that a program which never
 * blocks signals pays nothing when threads come and go.  Masks that hold only while a handler runs
 * are not counted: a signal that meanwhile nobody admits is kept (orphan_push).
 *
 * A thread on a kernel thread of its own counts as one that blocks everything: what it admits, the kernel gives it.
 *
 * Bare threads are none of threads.live: where there are any, idle activations admit everything.
 *
 * Where all threads are bound (bind_before_filter) idle activations block everything: the kernel gives a signal to
 * the thread that is to have it, and nobody needs to pass it on.
 * Order:
 *   mask.left  who ends: leave threads.live, read sched_counts_masks, uncount its mask and publish if that says so;
 *              who blocks a signal: count it, write sched_counts_masks, read threads.live, publish
 *   mask.birth who makes a thread: count it in sched_unsettled, then in threads.live; later, under the lock, its mask,
 *              and take it off the first; publisher: read threads.live, then sched_unsettled
 *
 * In these orders: one that is counted as live and not as a blocker would seem to admit everything, and a signal
 * that the program ignores would be dropped by the kernel, though somebody waits for it.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "../base/child.h"
#include "../base/lock.h"
#include "../sys/sys.h"
#include "bind.h"
#include "block.h"
#include "priority.h"
#include "real.h"
#include "signal.h"

static struct lock count_lock;		/* guards the next two; taken inside the runtime */
static uint32_t blockers[64];
static uint64_t counted_bits;		/* those with blockers[] > 0 */

static void tell(int tid)
{
	if (!load_relaxed(&sched_is_confined))
		signal_mark(tid, SIGURG);	/* it looks at sched_idle_kmask before it sleeps again */
}

void posix_mask_settle(uint64_t signals)
{
	sched_settle_masks(signals, tell);
}

/* Those whose mask is known. */
static uint32_t settled(void)
{
	uint32_t live = load_seq_cst(&threads.live);		/* pairs: mask.left; first: mask.birth */
	uint32_t unsettled = load_seq_cst(&sched_unsettled);

	return live - (unsettled < live ? unsettled : live);
}

/* Under count_lock.  True when idle activations block less than before. */
static bool publish(void)
{
	uint32_t live = settled();
	uint64_t idle = 0, bits = sched_has_bare ? 0 : counted_bits;

	while (bits) {
		int i = __builtin_ctzll(bits);

		bits &= bits - 1;
		if (blockers[i] >= live)
			idle |= UINT64_C(1) << i;
	}
	if (bind_binds_all() && !sched_has_bare)
		idle = SCHED_BLOCK_ALL;
	uint64_t old = load_relaxed(&sched_idle_kmask);	/* written under our lock only */

	store_seq_cst(&sched_idle_kmask, idle);		/* pairs: kmask.stale */
	if (idle & ~old)
		sched_note_idle_mask(idle & ~old);
	return old & ~idle;
}

static void count(uint64_t old, uint64_t new)
{
	for (uint64_t gone = old & ~new; gone; gone &= gone - 1) {
		int i = __builtin_ctzll(gone);

		if (--blockers[i] == 0)
			counted_bits &= ~(UINT64_C(1) << i);
	}
	for (uint64_t come = new & ~old; come; come &= come - 1) {
		int i = __builtin_ctzll(come);

		blockers[i]++;
		counted_bits |= UINT64_C(1) << i;
	}
	store_seq_cst(&sched_counts_masks, counted_bits != 0);		/* pairs: mask.left */
}

/* Under count_lock.  t's mask is `mask` from now on, as far as idle activations are concerned. */
static bool recount_and_publish(struct thread *t, uint64_t mask)
{
	if (t->is_unsettled)
		fetch_sub(&sched_unsettled, 1);
	t->is_unsettled = false;
	count(word_get(t, PW_COUNTED), mask);
	word_set(t, PW_COUNTED, mask);
	return publish();
}

static void recount(struct thread *t, uint64_t mask)
{
	struct thread *me;
	bool widened;

	mask = t->is_bare ? 0 : mask;
	if (!sched_is_started || (word_get(t, PW_COUNTED) == mask && !load_relaxed(&sched_idle_kmask) && !t->is_unsettled))
		return;
	me = rt_enter();
	lock_take(&count_lock);
	widened = recount_and_publish(t, mask);
	lock_drop(&count_lock);
	if (widened)
		sched_tell_idle_mask(tell);
	rt_leave(me);
}

static void guard_and_recount(struct thread *t, uint64_t mask)
{
	action_guard(mask);
	recount(t, mask);
}

/* Where more than `least` live. */
static uint64_t admitted_by(unsigned n, uint64_t signals, uint32_t least)
{
	struct thread *me = rt_enter();
	uint64_t found = 0;

	lock_take(&count_lock);
	uint32_t live = settled();

	for (uint64_t bits = sched_has_bare ? 0 : counted_bits & signals; bits && live > least; bits &= bits - 1)
		if (blockers[__builtin_ctzll(bits)] + n == live)
			found |= bits & -bits;
	lock_drop(&count_lock);
	rt_leave(me);
	return found;
}

uint64_t posix_mask_admitted_by(unsigned n, uint64_t signals)
{
	return admitted_by(n, signals, 1);
}

uint64_t posix_mask_blocked_by_all(uint64_t signals)
{
	return admitted_by(0, signals, 0);
}

void posix_mask_bound(struct thread *me, bool is_bound)
{
	recount(me, is_bound ? SCHED_BLOCK_ALL & ~(SIG_NEVER | SIG_BIT(SIGURG)) : me->kmask);
	if (is_bound)
		posix_mask_settle(SIG_REAL_TIME);	/* others would take some out of their order */
}

void posix_mask_all_bound(void)
{
	if (!sched_is_started)
		return;
	struct thread *me = rt_enter();

	lock_take(&count_lock);
	publish();
	lock_drop(&count_lock);
	rt_leave(me);
	posix_mask_settle(SCHED_BLOCK_ALL);
}

/* `me` is none of threads.live any more; NULL: one that was to be is not. */
static void on_left(struct thread *me)
{
	lock_take(&count_lock);
	bool widened = me ? recount_and_publish(me, 0) : publish();

	lock_drop(&count_lock);
	if (widened)
		sched_tell_idle_mask(tell);
}

/*
 * Of one number the kernel gives what is pending for this kernel thread first: after that the process's is let be.
 * What came from elsewhere is anybody's; a mark stands for what is queued.
 */
static void keep_signals(struct thread *t, uint64_t set)
{
	struct timespec zero = { 0 };
	siginfo_t info;
	uint64_t pending = 0;

	if (unlikely(load_relaxed(&sched_is_confined)))
		return;
	if (t && (word_get(t, PW_FLAGS) & PF_ENDS))
		t = NULL;
	arch_syscall2(SYS_rt_sigpending, (long)&pending, 8);
	for (set &= pending; set; set &= set - 1) {
		uint64_t one = set & -set;

		if (arch_syscall4(SYS_rt_sigtimedwait, (long)&one, (long)&info, (long)&zero, 8) <= 0 || signal_is_mark(&info))
			continue;
		if (info.si_code != SI_USER || info.si_pid != sys_getpid())
			orphan_push(&info);
		else if (t)
			sigqueue_push(t, &info);
	}
}

/* At once: with another one that blocks it too, and runs here next, the switch would leave it where it is. */
void signal_keep_own(struct thread *me)
{
	uint64_t own = me->kmask & SCHED_OWN_SIGNALS;
	int saved_errno = errno;

	if (!own || me->kind != THREAD_USER)
		return;
	rt_enter();
	keep_signals(me, own);
	rt_leave(me);
	errno = saved_errno;
}

__attribute__((constructor(102))) static void load(void)
{
	sched_hooks.keep_signals = keep_signals;
	sched_hooks.left = on_left;
}

uint64_t posix_mask(struct thread *me)
{
	uint64_t mask = me->kmask;

	if (me->kind != THREAD_USER || word_get(me, PW_VFORK)) {
		sys_sigmask(SIG_BLOCK, NULL, &mask);
		return mask;
	}
	return mask | (word_get(me, PW_FLAGS) & PF_BLOCKS_URG ? SIG_BIT(SIGURG) : 0);
}

void posix_mask_install(struct thread *me, uint64_t mask)
{
	uintptr_t flags = word_get(me, PW_FLAGS) & ~(uintptr_t)PF_BLOCKS_URG;

	if (me->kind != THREAD_USER || word_get(me, PW_VFORK)) {
		mask &= ~SIG_NEVER;
		if (!word_get(me, PW_VFORK)) {
			if (mask & SIG_BIT(SIGURG))
				sched_refuse_alarms(me);
			me->kmask = mask;
		}
		sys_sigmask(SIG_SETMASK, &mask, NULL);
		return;
	}
	word_set(me, PW_FLAGS, flags | (mask & SIG_BIT(SIGURG) ? PF_BLOCKS_URG : 0));
	sched_set_kmask(me, mask & ~(SIG_NEVER | SIG_BIT(SIGURG)));
}

void posix_mask_set(struct thread *me, uint64_t mask)
{
	uint64_t old = posix_mask(me);

	mask &= ~SIG_NEVER;
	if (mask != old)
		posix_mask_install(me, mask);
	if (word_get(me, PW_VFORK) || (me->kind != THREAD_USER && !me->is_one_to_one))
		return;
	if (me->kind == THREAD_USER)	/* what a bound one admits, the kernel gives it */
		guard_and_recount(me, me->kmask);
	if ((old & ~mask) && (!sigqueue_is_empty(me) || (orphan_set() & ~mask)))
		signal_deliver(me);
}

void posix_mask_announce(struct thread *me, uint64_t mask)
{
	guard_and_recount(me, mask & ~(SIG_NEVER | SIG_BIT(SIGURG)));
}

static bool blocks(const struct thread *t, int sig)
{
	if (t == self_ptr)		/* as it looks at itself: what it may not keep, it is not lent again */
		return posix_mask(self_ptr) & SIG_BIT(sig);
	bool is_flag = sig == SIGURG && t->kind == THREAD_USER;

	return is_flag ? word_get(t, PW_FLAGS) & PF_BLOCKS_URG : t->kmask & SIG_BIT(sig);
}

bool posix_mask_admits(const struct thread *t, int sig)
{
	return word_get(t, PW_TAKES) & SIG_BIT(sig) || !blocks(t, sig);
}

static uintptr_t load_takes(const struct thread *t)
{
	return (uintptr_t)__atomic_load_n(&t->posix[PW_TAKES], __ATOMIC_ACQUIRE);
}

bool posix_mask_takes_default(const struct thread *t, int sig)
{
	if (action_is_handler(sig))
		return false;
	uintptr_t takes = load_takes(t);
	bool is_blocked = blocks(t, sig);

	if (is_blocked && !(takes & SIG_BIT(sig)))
		takes = load_takes(t);		/* a wait may have begun: see masked_begin */
	return takes & SIG_BIT(sig) ? takes & TAKES_BY_MASK : !is_blocked;
}

bool posix_mask_admitted_by_all(int sig)
{
	struct thread *me = rt_enter();
	bool blocked = false;

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all && !blocked; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);
		uint64_t mask = t->kind == THREAD_USER ? word_get(t, PW_COUNTED) : t->kmask;

		blocked = load_relaxed(&t->state) != T_DONE && (mask & SIG_BIT(sig));
	}
	thread_unlock_all();
	rt_leave(me);
	return !blocked;
}

void signal_thread_new(struct thread *creator, struct thread *t)
{
	uint64_t mask = posix_mask(creator);

	if (unlikely(!sigqueue_is_empty(t)))
		sigqueue_empty(t);
	t->kmask = mask & ~(SIG_NEVER | SIG_BIT(SIGURG));
	word_set(t, PW_FLAGS, mask & SIG_BIT(SIGURG) ? PF_BLOCKS_URG : 0);
	if (!t->is_bare) {		/* those have neither libc's flags nor ever a kernel thread */
		cancel_reset(t);
		bind_inherit(creator, t);
	}
	memcpy(t->name, creator->name, sizeof(t->name));
	guard_and_recount(t, t->kmask);
}

/* From glibc 2.32 on, attributes may hold a mask. */
typedef int get_sigmask_fn(const pthread_attr_t *attr, sigset_t *set);

static get_sigmask_fn *find_get_sigmask(void)
{
	static get_sigmask_fn *found;
	static struct au32 is_known;

	if (unlikely(!load_acquire(&is_known))) {
		found = (get_sigmask_fn *)real_find_optional("pthread_attr_getsigmask_np");
		store_release(&is_known, 1);	/* everybody finds the same */
	}
	return found;
}

void signal_new_mask(struct thread *t, const pthread_attr_t *attr)
{
	get_sigmask_fn *get_sigmask = attr ? find_get_sigmask() : NULL;
	sigset_t set;

	if (!get_sigmask || get_sigmask(attr, &set) != 0)
		return;			/* none in it */
	t->kmask = mask_of(&set) & ~(SIG_NEVER | SIG_BIT(SIGURG));
	word_set(t, PW_FLAGS, mask_of(&set) & SIG_BIT(SIGURG) ? PF_BLOCKS_URG : 0);
	guard_and_recount(t, t->kmask);
}

/* Inside.  Nobody lends it any from here on; what it was lent, and admits, it handles as its last. */
static COLD void handle_last(struct thread *me)
{
	siginfo_t info;

	rt_leave(me);
	signal_deliver(me);
	rt_enter_as(me);
	sigqueue_give_back(me, ~UINT64_C(0));
	while (sigqueue_take(me, ~UINT64_C(0), &info) > 0)
		;
}

void signal_thread_end(struct thread *me)
{
	if (me->kind != THREAD_USER && !me->is_one_to_one)
		return;
	rt_enter_as(me);
	thread_lock_all();
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_ENDS);
	thread_unlock_all();
	bind_thread_end(me);
	if (unlikely(!sigqueue_is_empty(me)))
		handle_last(me);
	if (orphan_set())
		signal_adopt_orphans();
	if (unlikely(priority_in_use))
		priority_thread_end(me);
	rt_leave(me);
}

/* Who is about to be the only one that admits a signal is bound before any of them comes. */
static COLD void set_in_order(struct thread *me, uint64_t old, uint64_t now)
{
	uint64_t admits = old & ~now & load_relaxed(&action_handles_queued);

	if (admits && user_self() && posix_mask_admitted_by(0, admits))
		bind_self();
	posix_mask_set(me, now);
	bind_only_admitter(now & ~old);
}

static int change(int how, const sigset_t *set, sigset_t *old)
{
	struct thread *me = thread_self();
	uint64_t mask = posix_mask(me), now = mask;

	if (old) {
		*old = (sigset_t){ 0 };
		*(uint64_t *)old = mask;
	}
	if (!set)
		return 0;
	if (how == SIG_BLOCK)
		now |= mask_of(set);
	else if (how == SIG_UNBLOCK)
		now &= ~mask_of(set);
	else if (how == SIG_SETMASK)
		now = mask_of(set);
	else
		return EINVAL;
	if (unlikely(load_relaxed(&action_handles_queued)) && !word_get(me, PW_VFORK))	/* relaxed: as in bind.c */
		set_in_order(me, mask, now);
	else
		posix_mask_set(me, now);
	return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (!sched_is_started)
		return REAL(pthread_sigmask)(how, set, old);
	/* `set` and `old` may be the same object. */
	sigset_t wanted, was;

	if (set)
		wanted = *set;
	int err = change(how, set ? &wanted : NULL, &was);

	if (!err && old)
		*old = was;
	return err;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err;

	if (!sched_is_started)
		return REAL(sigprocmask)(how, set, old);
	err = pthread_sigmask(how, set, old);
	if (err) {
		errno = err;
		return -1;
	}
	return 0;
}

/*
 * What is pending for this kernel thread alone is pending for main, which will run on others.  What is pending for
 * the process stays where it is: taken and sent again, it would be lost if its timer had expired meanwhile.
 */
void signal_from_kernel(struct thread *me, uint64_t mask)
{
	struct timespec zero = { 0 };
	siginfo_t info;
	uint64_t set = 0;

	arch_syscall2(SYS_rt_sigpending, (long)&set, 8);
	while ((set & mask) && (set = sys_pending(false) & mask) != 0)
		if (arch_syscall4(SYS_rt_sigtimedwait, (long)&set, (long)&info, (long)&zero, 8) <= 0 ||
		    (!signal_is_mark(&info) && !sigqueue_push(me, &info)))	/* what a mark stands for is queued */
			return;
}

void signal_note_altstack(struct thread *me, const stack_t *ss)
{
	word_set(me, PW_ALT_BYTES, 0);		/* a handler in between sees none */
	word_set(me, PW_ALT_SP, ss->ss_flags & SS_DISABLE ? 0 : (uintptr_t)ss->ss_sp);
	word_set(me, PW_ALT_BYTES, ss->ss_flags & SS_DISABLE ? 0 : ss->ss_size);
}

void signal_start(void)
{
	struct thread *me = thread_self();
	stack_t ss = { .ss_flags = SS_DISABLE };
	uint64_t mask;

	arch_syscall2(SYS_sigaltstack, 0, (long)&ss);
	signal_note_altstack(me, &ss);
	sys_sigmask(SIG_BLOCK, NULL, &mask);
	word_set(me, PW_FLAGS, mask & SIG_BIT(SIGURG) ? PF_BLOCKS_URG : 0);
	me->kmask = mask & ~(SIG_NEVER | SIG_BIT(SIGURG));
	sys_sigmask(SIG_SETMASK, &me->kmask, NULL);
	count(0, me->kmask);
	word_set(me, PW_COUNTED, me->kmask);
	signal_from_kernel(me, me->kmask);
	arch_syscall2(SYS_prctl, PR_GET_NAME, (long)me->name);
	action_start();
	action_guard(me->kmask);
	cancel_start();
}

/* Nothing of the parent's is known, waits or is locked in a child, whatever kind of thread called fork. */
void signal_fork_child(void)
{
	struct thread *me = thread_self();

	sigqueue_fork_child(me);
	signal_adopt_fork_child();
	action_fork_child();
	lock_fork_child(&count_lock);
	zero_in_child(blockers, sizeof(blockers));
	counted_bits = 0;
	store_relaxed(&sched_counts_masks, 0);
	store_relaxed(&sched_unsettled, 0);
	word_set(me, PW_COUNTED, 0);
	word_set(me, PW_TAKES, 0);
	word_set(me, PW_NO_PREEMPT, 0);
}

/* The child's only thread is a kernel thread again: what the kernel does not have of it yet. */
void signal_to_child(struct thread *me)
{
	uint64_t mask = me->kmask | (word_get(me, PW_FLAGS) & PF_BLOCKS_URG ? SIG_BIT(SIGURG) : 0);
	stack_t ss = { .ss_sp = (void *)word_get(me, PW_ALT_SP), .ss_size = word_get(me, PW_ALT_BYTES) };

	if (!ss.ss_size)
		ss.ss_flags = SS_DISABLE;
	arch_syscall2(SYS_sigaltstack, (long)&ss, 0);
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_BLOCKS_URG);
	me->kmask = mask;
	sys_sigmask(SIG_SETMASK, &mask, NULL);
}

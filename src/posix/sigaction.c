// SPDX-License-Identifier: BSD-2-Clause
/*
 * sigaction and its many older names.
 *
 * The program's actions are kept in a table; the kernel is told of ours (sigdeliver.c) wherever the
 * program has a handler, and of SIG_DFL and SIG_IGN as they are.  Before threads start the kernel
 * applies the program's mask by itself; afterwards ours are entered with every signal blocked.
 * SA_RESETHAND is never passed on: a signal that has to wait would find the default.
 *
 * A signal that some thread blocks gets ours even if its action is the default: an idle activation
 * whose mask is behind the times would else die of it, or drop it, though a thread waits for it.  So does one that a
 * thread was sent by another: the mark of it may come when the handler has run, and the action is the default again.
 *
 * Order:
 *   sigaction.slot  writer: seq odd, fields, seq even; reader: seq even, fields, seq unchanged
 */
#include <errno.h>
#include <stdbool.h>

#include "../base/lock.h"
#include "../sys/sys.h"
#include "alias.h"
#include "bind.h"
#include "real.h"
#include "shared.h"
#include "signal.h"

enum { NSIGNALS = 65 };
#define SA_KERNEL_RESTORER UINT64_C(0x04000000)

struct slot {
	struct au32 seq;
	struct au64 handler, flags, mask;
};

struct kernel_action {
	uintptr_t handler;
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct slot slots[NSIGNALS];	/* written under slots_lock, with every signal blocked */
static struct lock slots_lock;
static bool is_full;			/* threads have started: signal_enter is installed */
static uint64_t guarded;		/* signals whose default is ours to take; under slots_lock */
static struct au64 guards_stand;	/* of those, the ones that the kernel has been told of */
struct au64 action_handles_queued;
static uint64_t no_restart;		/* siginterrupt: what signal() does without SA_RESTART */

struct action action_get(int sig)
{
	struct slot *s = &slots[sig];
	struct action a;
	uint32_t seq;

	do {
		while ((seq = load_acquire(&s->seq)) & 1)
			arch_pause();
		/* Relaxed: `seq` decides whether the three belong together. */
		a.handler = load_relaxed(&s->handler);
		a.flags = load_relaxed(&s->flags);
		a.mask = load_relaxed(&s->mask);
		atomic_thread_fence(memory_order_acquire);
	} while (load_relaxed(&s->seq) != seq);
	return a;
}

static bool is_handler(uintptr_t handler)
{
	return handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN;
}

static void slot_put(int sig, const struct action *a)
{
	struct slot *s = &slots[sig];
	uint32_t seq = load_relaxed(&s->seq);
	uint64_t queued = SIG_BIT(sig) & SIG_REAL_TIME, handled = load_relaxed(&action_handles_queued);

	store_relaxed(&s->seq, seq + 1);
	atomic_thread_fence(memory_order_release);
	store_relaxed(&s->handler, a->handler);
	store_relaxed(&s->flags, a->flags);
	store_relaxed(&s->mask, a->mask);
	store_release(&s->seq, seq + 2);
	if (unlikely(queued))
		store_relaxed(&action_handles_queued, is_handler(a->handler) ? handled | queued : handled & ~queued);
}

bool action_is_handler(int sig)
{
	return is_handler(load_relaxed(&slots[sig].handler));	/* one word, no more is asked */
}

static bool is_ours(uintptr_t handler)
{
	return handler == (uintptr_t)signal_enter || handler == (uintptr_t)signal_enter_early ||
	       handler == (uintptr_t)shared_on_trap;
}

static long kernel_set(int sig, const struct kernel_action *new, struct kernel_action *old)
{
	return arch_syscall4(SYS_rt_sigaction, sig, (long)new, (long)old, 8);
}

/* The kernel's action that stands for the program's. */
static struct kernel_action stand_in(int sig, const struct action *a)
{
	const uint64_t passed = SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT | SA_ONSTACK;
	bool is_default = a->handler == (uintptr_t)SIG_DFL;
	struct kernel_action k = {
		.handler = a->handler,
		.flags = a->flags | SA_KERNEL_RESTORER,
		.restorer = arch_sigreturn,
		.mask = a->mask,
	};

	if (sig == SIGSYS && shared_is_wanted()) {
		k.handler = (uintptr_t)shared_on_trap;
		k.flags = SA_SIGINFO | SA_NODEFER | SA_KERNEL_RESTORER;
		k.mask = 0;
		return k;
	}
	if (!is_handler(a->handler) && !(is_full && is_default && (guarded & SIG_BIT(sig))))
		return k;
	if (is_full) {
		k.handler = (uintptr_t)signal_enter;
		k.flags = (a->flags & passed) | SA_SIGINFO | SA_KERNEL_RESTORER;
		if (is_default)
			k.flags |= SA_RESTART;
		k.mask = ~UINT64_C(0);
	} else {
		k.handler = (uintptr_t)signal_enter_early;
		k.flags = (k.flags & ~(uint64_t)SA_RESETHAND) | SA_SIGINFO;
	}
	return k;
}

static uint64_t lock_slots(void)
{
	uint64_t all = ~UINT64_C(0), old;

	sys_sigmask(SIG_SETMASK, &all, &old);
	lock_take(&slots_lock);
	return old;
}

static void unlock_slots(uint64_t old)
{
	lock_drop(&slots_lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

/* The kernel's SIGURG is the runtime's own once threads have started. */
static bool kernel_keeps(int sig)
{
	return !(is_full && sig == SIGURG);
}

static bool is_ignoring(int sig, uintptr_t handler)
{
	return handler == (uintptr_t)SIG_IGN ||
	       (handler == (uintptr_t)SIG_DFL && (SIG_DEFAULT_IGNORED & SIG_BIT(sig)));
}

/* What the kernel has pending goes where a signal's default is to be ignored; then what stands in for that again. */
static void discard_pending(int sig, const struct kernel_action *stands_in)
{
	const struct kernel_action none = { (uintptr_t)SIG_DFL, stands_in->flags, stands_in->restorer, 0 };

	kernel_set(sig, &none, NULL);
	kernel_set(sig, stands_in, NULL);
}

/*
 * A signal that is ignored is pending in the kernel nevertheless if the process's first kernel thread blocks it when
 * it comes, as in the runtime's own handlers.  Where no thread of the program's does, it came to nothing when it was
 * sent, and is not to come to the action that it has from now on.
 */
static void discard_ignored(int sig)
{
	const struct kernel_action ignores = { (uintptr_t)SIG_IGN, SA_KERNEL_RESTORER, arch_sigreturn, 0 };

	kernel_set(sig, &ignores, NULL);
}

static bool kernel_ignores(int sig)
{
	struct kernel_action k;

	return kernel_keeps(sig) && !kernel_set(sig, NULL, &k) && is_ignoring(sig, k.handler);
}

/* It is ignored, act is another action, and what came meanwhile waits for nobody. */
static bool is_to_forget(int sig, const struct action *act)
{
	return act && !is_ignoring(sig, act->handler) && sched_is_started && kernel_ignores(sig) &&
	       posix_mask_admitted_by_all(sig);
}

int action_set(int sig, const struct action *act, struct action *ret_old)
{
	struct kernel_action new = { 0 }, old = { 0 };
	bool forgets = is_to_forget(sig, act);
	uint64_t mask = lock_slots();
	struct action was = action_get(sig);
	long err = 0;

	if (kernel_keeps(sig)) {
		if (forgets && kernel_ignores(sig))
			discard_ignored(sig);
		if (act)
			new = stand_in(sig, act);
		err = kernel_set(sig, act ? &new : NULL, &old);
		if (!err && !is_ours(old.handler))	/* set behind our back, or never */
			was = (struct action){ old.handler, old.flags, old.mask };
		if (!err && act && act->handler == (uintptr_t)SIG_DFL && is_ours(new.handler) && is_ignoring(sig, act->handler))
			discard_pending(sig, &new);
	}
	if (!err && act)
		slot_put(sig, act);
	unlock_slots(mask);
	if (!err && act && sched_is_started && is_ignoring(sig, act->handler))
		sigqueue_discard(sig);
	if (!err && act && sched_is_started && is_handler(act->handler))
		bind_only_admitter(SIG_BIT(sig) & SIG_REAL_TIME);
	if (!err && ret_old)
		*ret_old = was;
	return (int)err;
}

bool action_is_default(int sig)
{
	struct kernel_action k;

	return action_get(sig).handler == (uintptr_t)SIG_DFL && kernel_set(sig, NULL, &k) == 0 &&
	       (k.handler == (uintptr_t)SIG_DFL || is_ours(k.handler));
}

void action_take_once(int sig, struct action *ret_taken)
{
	uint64_t mask = lock_slots();
	struct action a = action_get(sig);
	const struct action none = { (uintptr_t)SIG_DFL, a.flags, a.mask };	/* as the kernel does */

	if (is_handler(a.handler) && (a.flags & SA_RESETHAND)) {
		struct kernel_action k = stand_in(sig, &none);

		if (kernel_keeps(sig))
			kernel_set(sig, &k, NULL);
		slot_put(sig, &none);
	}
	unlock_slots(mask);
	*ret_taken = a;
}

/* Threads start: from now on handlers are entered with every signal blocked. */
void action_start(void)
{
	uint64_t mask = lock_slots();

	is_full = true;
	for (int sig = 1; sig < NSIGNALS; sig++) {
		struct kernel_action k;

		if ((SIG_NEVER & SIG_BIT(sig)) || kernel_set(sig, NULL, &k) || !is_handler(k.handler))
			continue;
		if (!is_ours(k.handler)) {
			struct action a = { k.handler, k.flags, k.mask };

			slot_put(sig, &a);
		}
		struct action a = action_get(sig);

		k = stand_in(sig, &a);
		kernel_set(sig, &k, NULL);
	}
	unlock_slots(mask);
}

static void reinstall(int sig)
{
	struct action a = action_get(sig);
	struct kernel_action k = stand_in(sig, &a);

	kernel_set(sig, &k, NULL);
}

void action_renew(int sig)
{
	uint64_t mask = lock_slots();

	reinstall(sig);
	unlock_slots(mask);
}

void action_guard(uint64_t signals)
{
	const uint64_t never = SIG_NEVER | SIG_FAULTS | SIG_BIT(SIGABRT) | SIG_BIT(SIGSYS) | SIG_BIT(SIGURG) |
			       SIG_BIT(SIGCONT) | SIG_BIT(SIGTSTP) | SIG_BIT(SIGTTIN) | SIG_BIT(SIGTTOU);

	signals &= ~never;
	if (!(signals & ~load_acquire(&guards_stand)))
		return;
	uint64_t mask = lock_slots();

	signals &= ~guarded;
	guarded |= signals;
	for (; signals; signals &= signals - 1) {
		int sig = __builtin_ctzll(signals) + 1;

		if (action_get(sig).handler == (uintptr_t)SIG_DFL)
			reinstall(sig);
	}
	store_release(&guards_stand, guarded);
	unlock_slots(mask);
}

void action_expose(int sig, bool exposed)
{
	struct kernel_action k = { .flags = SA_KERNEL_RESTORER, .restorer = arch_sigreturn };
	uint64_t mask = lock_slots();

	if (!exposed)
		reinstall(sig);
	else if (kernel_keeps(sig))
		kernel_set(sig, &k, NULL);
	unlock_slots(mask);
}

/* Who was about to write some is not there, and will not say that he has. */
static void settle_slots(void)
{
	store_relaxed(&slots_lock.word, 0);
	for (int sig = 1; sig < NSIGNALS; sig++)
		if (load_relaxed(&slots[sig].seq) & 1)
			store_relaxed(&slots[sig].seq, load_relaxed(&slots[sig].seq) + 1);
}

/* One thread again: SIGURG is the program's own until threads start, and the kernel sets the masks of handlers. */
void action_fork_child(void)
{
	settle_slots();
	if (is_full) {
		is_full = false;
		for (int sig = 1; sig < NSIGNALS; sig++)
			if (sig == SIGURG || action_is_handler(sig))
				reinstall(sig);
	}
	if (shared_is_wanted()) {
		shared_fork_child();
		reinstall(SIGSYS);
	}
	store_relaxed(&guards_stand, 0);
	for (; guarded; guarded &= guarded - 1)
		reinstall(__builtin_ctzll(guarded) + 1);
}

/* A vfork child has actions of its own in the kernel, and our table is its parent's. */
static int set_in_vfork(int sig, const struct action *act, struct action *ret_old)
{
	struct kernel_action new, old;

	if (act) {
		new = (struct kernel_action){ act->handler, act->flags | SA_KERNEL_RESTORER, arch_sigreturn,
					      act->mask };
	}
	int err = (int)kernel_set(sig, act ? &new : NULL, &old);

	if (!err && ret_old)
		*ret_old = is_ours(old.handler) ? action_get(sig)
			 : (struct action){ old.handler, old.flags, old.mask };
	return err;
}

static int home_pid;		/* of the process whose actions our table has */

void action_at_home(void)
{
	home_pid = sys_getpid();
}

__attribute__((constructor(102))) static void load_home(void)
{
	action_at_home();
}

/* A child by vfork, or by an instruction of the program's own (Go): the memory is its parent's. */
static bool is_childs_own(void)
{
	return (self_ptr && word_get(self_ptr, PW_VFORK)) || (home_pid && home_pid != sys_getpid());
}

/* The program's actions have the flag that libc gives them: an old one may be handed to the kernel by number. */
static int set_any(int sig, const struct action *act, struct action *ret_old)
{
	int err;

	if (sig < 1 || sig >= NSIGNALS || sig == 32 || sig == 33)
		err = -EINVAL;
	else if (is_childs_own())
		err = set_in_vfork(sig, act, ret_old);
	else
		err = action_set(sig, act, ret_old);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct action new, was;

	if (act)
		new = (struct action){ (uintptr_t)act->sa_handler, (unsigned)act->sa_flags | SA_KERNEL_RESTORER,
				       mask_of(&act->sa_mask) & ~SIG_NEVER };
	if (set_any(sig, act ? &new : NULL, &was))
		return -1;
	if (old) {
		*old = (struct sigaction){ .sa_flags = (int)was.flags };
		old->sa_handler = (sighandler_t)was.handler;
		old->sa_restorer = was.flags & SA_KERNEL_RESTORER ? arch_sigreturn : NULL;
		*(uint64_t *)&old->sa_mask = was.mask;
	}
	return 0;
}
ALIAS(__sigaction, sigaction);

static sighandler_t set_simple(int sig, sighandler_t handler, uint64_t flags, uint64_t mask)
{
	struct action new = { (uintptr_t)handler, flags | SA_KERNEL_RESTORER, mask }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return set_any(sig, &new, &old) ? SIG_ERR : (sighandler_t)old.handler;
}

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	bool known = sig > 0 && sig < NSIGNALS;
	uint64_t bit = known ? SIG_BIT(sig) : 0;
	uint64_t interrupts = __atomic_load_n(&no_restart, __ATOMIC_RELAXED) & bit;

	return set_simple(sig, handler, interrupts ? 0 : SA_RESTART, bit);
}
ALIAS(bsd_signal, signal);
ALIAS(ssignal, signal);

EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return set_simple(sig, handler, SA_RESETHAND | SA_NODEFER, 0);
}
extern sighandler_t __sysv_signal(int sig, sighandler_t handler);
ALIAS(__sysv_signal, sysv_signal);

EXPORT int siginterrupt(int sig, int flag)
{
	struct action a;

	if (set_any(sig, NULL, &a))
		return -1;
	if (flag) {
		__atomic_or_fetch(&no_restart, SIG_BIT(sig), __ATOMIC_RELAXED);
		a.flags &= ~(uint64_t)SA_RESTART;
	} else {
		__atomic_and_fetch(&no_restart, ~SIG_BIT(sig), __ATOMIC_RELAXED);
		a.flags |= SA_RESTART;
	}
	return set_any(sig, &a, NULL);
}

static int mask_one(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	if (sigaddset(&set, sig))
		return -1;
	return sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int sig)
{
	return mask_one(SIG_BLOCK, sig);
}

EXPORT int sigrelse(int sig)
{
	return mask_one(SIG_UNBLOCK, sig);
}

EXPORT int sigignore(int sig)
{
	return set_simple(sig, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

/* SIG_HOLD (2) is no handler but a wish to block it. */
EXPORT sighandler_t sigset(int sig, sighandler_t handler)
{
	const sighandler_t hold = (sighandler_t)2;
	struct action old;
	sigset_t was;

	if (sigprocmask(SIG_BLOCK, NULL, &was) || set_any(sig, NULL, &old))
		return SIG_ERR;
	if (handler == hold) {
		if (mask_one(SIG_BLOCK, sig))
			return SIG_ERR;
	} else if (set_simple(sig, handler, 0, 0) == SIG_ERR || mask_one(SIG_UNBLOCK, sig)) {
		return SIG_ERR;
	}
	return sigismember(&was, sig) ? hold : (sighandler_t)old.handler;
}

static int old_mask(int how, int mask)
{
	sigset_t set = { 0 }, old;

	*(uint64_t *)&set = (unsigned)mask;
	if (sigprocmask(how, &set, &old))
		return -1;
	return (int)mask_of(&old);
}

extern int sigblock(int mask) __attribute__((nothrow));
extern int sigsetmask(int mask) __attribute__((nothrow));
extern int siggetmask(void) __attribute__((nothrow));

EXPORT int sigblock(int mask)
{
	return old_mask(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return old_mask(SIG_SETMASK, mask);
}

EXPORT int siggetmask(void)
{
	return old_mask(SIG_BLOCK, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sending signals to threads.
 *
 * To another thread: queue it, set PEND_SIGNAL, and then, in this order, end its wait if that can
 * be interrupted, or else send the kernel thread that runs it the marked signal.  A thread that is
 * neither parked nor running looks at PEND_SIGNAL when it runs next.  The mark may reach the wrong
 * thread, since threads move: who has nothing queued ignores it.
 *
 * In a confined process (seccomp) the mark is what raise sends, and cannot be told from it: who has such a signal
 * queued takes that one, and what comes for nothing that is queued is the program's.  So each has its handler.
 * Another thread is told by the runtime's signal there, which makes it look (sched_kick_activation).
 *
 * A BOUND thread is sent its signals by the kernel; but while it is about to be bound, by its queue.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../sync/lot.h"
#include "../sys/sys.h"
#include "bind.h"
#include "real.h"
#include "signal.h"

enum { DELIVER_TRIES = 1000, LOW_LIMIT = 4096 };

static const char mark;		/* its address is the mark */

void signal_make_info(siginfo_t *info, int sig, int code, union sigval value)
{
	memset(info, 0, sizeof(*info));
	info->si_signo = sig;
	info->si_code = code;
	info->si_pid = sys_getpid();
	info->si_uid = (uid_t)arch_syscall0(SYS_getuid);
	info->si_value = value;
}

static int send_to_kernel_thread(int tid, const siginfo_t *info)
{
	return (int)arch_syscall4(SYS_rt_tgsigqueueinfo, sys_getpid(), tid, info->si_signo, (long)info);
}

void signal_mark(int tid, int sig)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = SI_QUEUE;
	info.si_pid = sys_getpid();
	info.si_value.sival_ptr = (void *)(uintptr_t)&mark;
	if (!load_relaxed(&sched_is_confined))
		send_to_kernel_thread(tid, &info);
	else
		sys_tgkill(tid, sig);
}

bool signal_is_mark(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && info->si_value.sival_ptr == &mark;
}

static bool is_ignored(int sig)
{
	uintptr_t handler = action_get(sig).handler;

	return handler == (uintptr_t)SIG_IGN ||
	       (handler == (uintptr_t)SIG_DFL && (SIG_DEFAULT_IGNORED & SIG_BIT(sig)) && sig != SIGCONT);
}

/* Kills, stops or continues the process, so any kernel thread will do: this one, unblocked. */
void signal_do_default(struct thread *me, const siginfo_t *info)
{
	uint64_t others = ~(SIG_BIT(info->si_signo) | SIG_NEVER), old;

	if (is_ignored(info->si_signo))
		return;
	if (me)
		word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + 1);
	action_expose(info->si_signo, true);
	sys_sigmask(SIG_SETMASK, &others, &old);	/* no handler runs meanwhile, which might jump away */
	if (load_relaxed(&sched_is_confined))
		sys_tgkill(sys_gettid(), info->si_signo);
	else
		send_to_kernel_thread(sys_gettid(), info);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	action_expose(info->si_signo, false);
	if (me)
		word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) - 1);
}

/* Sends itself the mark while in_rt keeps it on this activation; handlers that come now may run. */
static void mark_self(struct thread *me, int sig)
{
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_DELIVERS);
	compiler_barrier();
	me->in_rt = 1;
	compiler_barrier();
	signal_mark(sys_gettid(), sig);
	compiler_barrier();
	me->in_rt = 0;
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_DELIVERS);
}

/*
 * The next queued signal that mask admits, orphans included; it stays queued.  Those of `had` come last: the kernel,
 * too, delivers what else there is before the handler of one is over, and could not be kept from it by that one's
 * coming again and again.
 */
static int next_admitted(struct thread *me, uint64_t mask, uint64_t had)
{
	signal_take_orphans(me, ~mask);
	uint64_t set = sigqueue_set(me) & ~mask;

	if (set & ~had)
		set &= ~had;
	return set ? __builtin_ctzll(set) + 1 : 0;
}

/* What the process lent to me while I was about to block it is for others; and what came by way of me. */
static void give_back(struct thread *me)
{
	bool any = sigqueue_give_back(me, posix_mask(me) & ~(uint64_t)word_get(me, PW_TAKES));

	if (fetch_and(&me->pending, ~(uint32_t)PEND_ORPHAN) & PEND_ORPHAN)
		any = true;
	if (!any)
		return;
	me = rt_enter();
	signal_adopt_orphans();
	rt_leave(me);
}

void signal_deliver(struct thread *me)
{
	uint64_t had = 0;
	siginfo_t info;

	if (word_get(me, PW_FLAGS) & PF_BINDS)
		return;
	for (int i = 0; i < DELIVER_TRIES; i++) {
		fetch_and(&me->pending, ~(uint32_t)PEND_SIGNAL);
		bind_as_wished(me);
		int sig = next_admitted(me, posix_mask(me), had);

		if (sig && !(SIG_BIT(sig) & SIG_REAL_TIME))		/* of the others the lowest is always first */
			had |= SIG_BIT(sig);
		if (sig && action_is_handler(sig))
			mark_self(me, sig);
		else if (sig && sigqueue_take(me, SIG_BIT(sig), &info))
			signal_do_default(me, &info);
		else if (!(load_seq_cst(&me->pending) & PEND_SIGNAL))
			break;
	}
	if (unlikely(!sigqueue_is_empty(me) || load_relaxed(&me->pending) & PEND_ORPHAN))
		give_back(me);
}

void signal_deliver_default(struct thread *me)
{
	uint64_t handled = 0;
	siginfo_t info;

	if (word_get(me, PW_FLAGS) & PF_BINDS)
		return;
	fetch_and(&me->pending, ~(uint32_t)PEND_SIGNAL);
	bind_as_wished(me);
	for (int i = 0; i < DELIVER_TRIES; i++) {
		int sig = next_admitted(me, posix_mask(me) | handled, 0);

		if (!sig)
			break;
		if (action_is_handler(sig))
			handled |= SIG_BIT(sig);
		else if (sigqueue_take(me, SIG_BIT(sig), &info))
			signal_do_default(me, &info);
	}
	if (unlikely(!sigqueue_is_empty(me) || load_relaxed(&me->pending) & PEND_ORPHAN))
		give_back(me);
}

/* Perhaps in the kernel; and what came in the moment before that ends it only if it is one that it waits for. */
static bool waits_for_mark(const struct thread *t, int sig)
{
	uintptr_t takes = word_get(t, PW_TAKES);

	return (takes & SIG_BIT(sig)) && !(takes & TAKES_PARKED);
}

/*
 * It may have taken what is queued already, by a handler that is the last of its kind (SA_RESETHAND), or whose program
 * sets the default now: from here on that is ours to take, which the mark would else be given.
 */
static void mark_other(int tid, int sig)
{
	action_guard(SIG_BIT(sig) & ~SIG_DEFAULT_IGNORED);
	signal_mark(tid, sig);
}

/* t has something queued that it admits: make it look.  Inside the runtime. */
static void make_look(struct thread *t, int sig)
{
	if (t == self_ptr || lot_interrupt(t, WAIT_SIGNAL))
		return;
	int tid = sched_tid_of(t);

	if (load_relaxed(&sched_is_confined))
		sched_kick_activation(t);	/* another thread would take raise's for its own */
	else if (!action_is_handler(sig) && !waits_for_mark(t, sig))
		sched_kick_activation(t);	/* the mark itself would stop or end the process */
	else if (tid)
		mark_other(tid, sig);
}

/*
 * A core file begins with the thread that took the signal: so t itself must take it, on its own stack.  It is told by
 * the runtime's signal, since a mark would be taken by the kernel, on whichever thread is there by then.
 */
static bool die_of_it(struct thread *t, const siginfo_t *info)
{
	if (!(SIG_DUMPS & SIG_BIT(info->si_signo)) || t == self_ptr || t->is_bare || is_ignored(info->si_signo) ||
	    !sigqueue_push(t, info))
		return false;
	struct thread *me = rt_enter();

	if (word_get(t, PW_TAKES) & SIG_BIT(info->si_signo))
		make_look(t, info->si_signo);	/* it may be about to wait in the kernel */
	else if (!lot_interrupt(t, WAIT_SIGNAL))
		sched_kick_activation(t);
	rt_leave(me);
	return true;
}

int signal_send(struct thread *t, const siginfo_t *info)
{
	struct thread *me = thread_self();
	int sig = info->si_signo;

	if (load_acquire(&t->state) == T_DONE)
		return 0;
	if (posix_mask_takes_default(t, sig)) {
		if (!die_of_it(t, info))
			signal_do_default(me, info);
		return 0;
	}
	if (t == me && posix_mask_admits(me, sig)) {
		if (!sigqueue_push_for_now(me, info))
			return EAGAIN;
		signal_deliver(me);
		return 0;
	}
	if (!sigqueue_push(t, info))
		return EAGAIN;
	if (t == me || !posix_mask_admits(t, sig))
		return 0;
	me = rt_enter();
	make_look(t, sig);
	rt_leave(me);
	return 0;
}

enum { FITTEST = 9 };

/* How good a choice t is for a signal of the process: 0 is none at all. */
static int fitness(struct thread *t, int sig)
{
	uint32_t state = load_acquire(&t->state);

	if (state == T_DONE || state == T_NEW || (word_get(t, PW_FLAGS) & PF_ENDS) || !posix_mask_admits(t, sig))
		return 0;
	if (t->kind != THREAD_USER)
		return t->is_one_to_one ? 3 : 0;	/* the kernel knows the others itself */
	if (word_get(t, PW_TAKES) & SIG_BIT(sig))
		return sigqueue_is_empty(t) ? FITTEST : 7;	/* one each, lest a thousand go from hand to hand */
	if (state == T_PARKED)
		return t->wait_can_interrupt & PEND_SIGNAL ? 5 : 1;
	return state == T_READY ? 2 : 4;
}

/* Under thread_lock_all: it does not end meanwhile. */
static struct thread *choose(int sig)
{
	struct thread *best = NULL, *first = thread_main();
	int best_fitness = first ? fitness(first, sig) : 0;

	if (best_fitness > 0)
		best = first;
	if (best_fitness > 1 && best_fitness < FITTEST - 1)
		best_fitness = FITTEST - 1;		/* as the kernel would */
	for (struct list *l = threads.all.next; l != &threads.all && best_fitness < FITTEST; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);
		int f = fitness(t, sig);

		if (f > best_fitness) {
			best = t;
			best_fitness = f;
		}
	}
	return best;
}

/*
 * A signal of the process: info, or if that is NULL the first orphan of this kind.  A thread on a kernel thread of its
 * own is given by the kernel what the kernel can have, in order with what that has for it already.
 */
static bool give(int sig, const siginfo_t *info)
{
	bool was_begun = info != NULL;
	siginfo_t orphan;

	thread_lock_all();
	struct thread *t = choose(sig);

	if (info && t && t->kind != THREAD_USER)
		t = NULL;
	bool is_default = t && posix_mask_takes_default(t, sig);

	bool is_lent = t && !is_default && (info ? sigqueue_lend(t, info) : orphan_lend(t, SIG_BIT(sig)));

	if (is_lent) {
		/* The kernel lets nobody pass on what another process sent: the mark stands for it. */
		make_look(t, sig);
	}
	thread_unlock_all();
	if (is_default && !info && orphan_take(SIG_BIT(sig), &orphan))
		info = &orphan;
	if (is_default && was_begun)
		sigqueue_lent_to_nobody(sig);
	if (is_default && info)
		signal_do_default(self_ptr, info);
	return is_default || is_lent;
}

/* From a write or a limit, a fault, a CPU clock: it is for the thread that runs, though only the number says so. */
#define SIG_OF_CALLER (SIG_FAULTS | SIG_BIT(SIGPIPE) | SIG_BIT(SIGXFSZ) | SIG_BIT(SIGSYS) | SIG_BIT(SIGABRT) | \
		       SIG_BIT(SIGPROF) | SIG_BIT(SIGVTALRM) | SIG_BIT(SIGXCPU) | SIG_BIT(SIGURG))

/* What comes to a thread on a kernel thread of its own may be meant for that, by pthread_sigqueue, or a timer. */
static bool is_of_process(const struct thread *me, const siginfo_t *info)
{
	int sig = info->si_signo, code = info->si_code;

	if (me->kind == THREAD_USER)
		return code != SI_TKILL && code != SI_TIMER && !signal_is_mark(info);
	return me->is_one_to_one &&
	       (code == SI_USER || (code == SI_KERNEL && sig != SIGIO) || (code > 0 && sig == SIGCHLD));
}

/* A signal of the process that has come to another. */
static bool main_takes(const struct thread *me, int sig)
{
	const struct thread *first = thread_main();

	if (me == first || (SIG_OF_CALLER & SIG_BIT(sig)))
		return false;
	/* To tell one on a kernel thread of its own takes a system call that a filter may not let pass. */
	if ((me->kind != THREAD_USER || first->kind != THREAD_USER) && load_relaxed(&sched_is_confined))
		return false;
	/* The kernel tells the thread that has made the child. */
	if (sig == SIGCHLD && ((word_get(me, PW_FLAGS) & PF_FORKS) || !(word_get(first, PW_FLAGS) & PF_FORKS)))
		return false;
	return load_acquire(&first->state) != T_DONE && !(word_get(first, PW_FLAGS) & PF_ENDS) &&
	       posix_mask_admits(first, sig) && !posix_mask_takes_default(first, sig) &&
	       (sig >= 32 || sigqueue_is_empty(first) || sigqueue_is_lent(sig));
}

bool signal_is_mains(const struct thread *me, const siginfo_t *info)
{
	return is_of_process(me, info) && main_takes(me, info->si_signo);
}

void signal_take_orphans(struct thread *me, uint64_t set)
{
	for (set &= orphan_set(); set; set &= set - 1) {
		int sig = __builtin_ctzll(set) + 1;

		if (!main_takes(me, sig) || fitness(thread_main(), sig) <= 1)
			orphan_lend(me, SIG_BIT(sig));
	}
}

bool signal_lend_main(const siginfo_t *info)
{
	struct thread *first = thread_main();
	int sig = info->si_signo;

	thread_lock_all();
	bool is_lent = fitness(first, sig) > 1 && (!sigqueue_begin_lending(sig) || sigqueue_lend(first, info));

	if (is_lent)
		make_look(first, sig);
	thread_unlock_all();
	return is_lent;
}

enum { NOBODY_ADOPTS, ADOPTS, ADOPTS_AGAIN };
static struct au32 adopter;		/* what it does, who looks for threads that take orphans */

void signal_adopt_fork_child(void)
{
	store_relaxed(&adopter, NOBODY_ADOPTS);
}

/*
 * They are queued here until they are queued there: whoever unblocks one, and then looks for it, finds it, and finds
 * all that a timer's stands for.
 */
static void adopt(void)
{
	uint64_t nobody = 0, set;

	fence_seq_cst();	/* pairs: chain_next, posix_mask_set: there the mask changes before the look */
	while ((set = orphan_set() & ~nobody) != 0) {
		int sig = __builtin_ctzll(set) + 1;

		if (!give(sig, NULL))
			nobody |= SIG_BIT(sig);
	}
	if (nobody)
		orphan_gather();
}

/* One at a time, lest many look through all threads for the same few: who comes meanwhile leaves it to that one. */
void signal_adopt_orphans(void)
{
	uint32_t expected;

	if (xchg_seq_cst(&adopter, ADOPTS_AGAIN) != NOBODY_ADOPTS)
		return;
	do {
		store_seq_cst(&adopter, ADOPTS);
		adopt();
		expected = ADOPTS;
	} while (!cas_seq_cst(&adopter, &expected, NOBODY_ADOPTS));
}

struct thread *thread_by_tid(int tid)
{
	struct thread *me = rt_enter(), *found = NULL;

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all && !found; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);

		if (t->tid == tid && load_relaxed(&t->state) != T_DONE)
			found = t;
	}
	thread_unlock_all();
	rt_leave(me);
	return found;
}

int posix_kernel_tid_now(struct thread *t)
{
	if (t == self_ptr)
		return sys_gettid();
	return t->is_one_to_one ? sched_tid_of(t) : t->tid;
}

int posix_kernel_tid(struct thread *t)
{
	int tid;

	while ((tid = posix_kernel_tid_now(t)) == 0 && load_acquire(&t->state) != T_DONE)
		sys_yield();
	return tid;
}

/* SI_TKILL is what the kernel itself says, and lets nobody else say to another thread. */
static int send_to_bound(int tid, const siginfo_t *info)
{
	int err = info->si_signo == 0 || info->si_code == SI_TKILL ? sys_tgkill(tid, info->si_signo)
								   : send_to_kernel_thread(tid, info);

	return err == -ESRCH ? 0 : -err;	/* it has ended and is not joined yet */
}

/* Where the kernel is to deliver a signal for t, or 0: by its queue; so too while it is on its way to being bound. */
static int kernel_destination(struct thread *t)
{
	bool is_user = t->kind == THREAD_USER;

	compiler_barrier();		/* see switch_to_host */
	return is_user ? 0 : posix_kernel_tid_now(t);
}

/* Who stops itself does not go on before that: a signal of the process might come to another kernel thread first. */
static int send_to_own_kernel_thread(int sig)
{
	struct thread *me = rt_enter();
	int err = (int)-arch_syscall3(SYS_tgkill, sys_getpid(), sys_gettid(), sig);

	rt_leave(me);
	return err;
}

static int send_any(struct thread *t, int sig, int code, union sigval value)
{
	siginfo_t info;
	int tid;

	if (sig < 0 || sig > 64 || sig == 32 || sig == 33)
		return EINVAL;
	signal_make_info(&info, sig, code, value);
	if ((tid = kernel_destination(t)) != 0)
		return send_to_bound(tid, &info);
	if (sig == 0)
		return 0;
	/* Nobody who calls this is stopped: what is left of a SIGCONT is its handler, or a wait for it. */
	if (sig == SIGKILL || sig == SIGSTOP || (sig == SIGCONT && posix_mask_takes_default(t, sig)))
		return t == self_ptr ? send_to_own_kernel_thread(sig) : (int)-arch_syscall2(SYS_kill, sys_getpid(), sig);
	return signal_send(t, &info);
}

EXPORT int pthread_kill(pthread_t handle, int sig)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t)
		return REAL(pthread_kill)(handle, sig);
	return send_any(t, sig, SI_TKILL, (union sigval){ 0 });
}

EXPORT int pthread_sigqueue(pthread_t handle, int sig, const union sigval value)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t)
		return REAL(pthread_sigqueue)(handle, sig, value);
	if (load_acquire(&t->state) == T_DONE)
		return ESRCH;		/* as libc says here, and pthread_kill does not */
	return send_any(t, sig, SI_QUEUE, value);
}

static int failed(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

EXPORT int raise(int sig)
{
	struct thread *me = user_self();

	if (!me)
		return REAL(raise)(sig);
	return failed(send_any(me, sig, SI_TKILL, (union sigval){ 0 }));
}

extern int gsignal(int sig) __attribute__((nothrow));
EXPORT int gsignal(int sig)
{
	return raise(sig);
}

static bool is_pending_in_kernel(int sig)
{
	uint64_t pending = 0;

	arch_syscall2(SYS_rt_sigpending, (long)&pending, sizeof(pending));
	return pending & SIG_BIT(sig) && sys_pending(true) & SIG_BIT(sig);	/* not a mark, whose thread has moved on */
}

static struct au64 kernel_keeps;		/* of what nobody admits */
static struct au32 has_signalfd;

/* What the kernel has counts against RLIMIT_SIGPENDING, what we keep against our pool: that is a limit, too, but not this. */
static bool kernel_counts(void)
{
	struct rlimit limit;

	return arch_syscall4(SYS_prlimit64, 0, RLIMIT_SIGPENDING, 0, (long)&limit) == 0 && limit.rlim_cur < LOW_LIMIT;
}

/* The kernel lets only the first kernel thread say that it speaks of itself, or of a kill. */
static void resend(const siginfo_t *info)
{
	int pid = sys_getpid();

	if (arch_syscall3(SYS_rt_sigqueueinfo, pid, info->si_signo, (long)info) == -EPERM)
		arch_syscall2(SYS_kill, pid, info->si_signo);
}

/*
 * Those that somebody admits find a thread; idle activations would take them from the kernel again.  A timer's goes only
 * where a signalfd is to show it: sent again while the kernel has the timer's next, it would be lost, with all that it
 * stands for; and a new program has none of its predecessor's timers.
 */
static void orphans_to_kernel(void)
{
	siginfo_t info;

	while (orphan_take_back(load_seq_cst(&sched_idle_kmask) & load_seq_cst(&kernel_keeps),
				load_relaxed(&has_signalfd), &info))	/* relaxed: who makes it looks itself */
		resend(&info);
}

static void keep_in_kernel(uint64_t set)
{
	if ((set & ~fetch_or(&kernel_keeps, set)) && sched_is_started)	/* pairs: give_to_process */
		orphans_to_kernel();
}

void signal_show_in_kernel(void)
{
	fetch_or(&kernel_keeps, ~UINT64_C(0));		/* pairs: give_to_process */
	if (!xchg_seq_cst(&has_signalfd, 1) && sched_is_started)
		orphans_to_kernel();
}

void signal_to_kernel(struct thread *me, uint64_t set)
{
	uint64_t blocked = posix_mask(me);
	siginfo_t info;

	keep_in_kernel(set);
	if (likely(sigqueue_is_empty(me)))
		return;
	if (sigqueue_give_back(me, blocked))
		orphans_to_kernel();
	signal_from_kernel(me, blocked & set);		/* a mark that is pending would stand for what is sent */
	while (sigqueue_take(me, blocked & set, &info))
		send_to_kernel_thread(sys_gettid(), &info);
}

/* Nobody admits it.  Those that are queued come in their order if all wait for a thread in one place. */
static bool keep_for_later(const siginfo_t *info)
{
	bool is_kept = orphan_push(info);

	if (is_kept && load_seq_cst(&kernel_keeps))	/* pairs: keep_in_kernel */
		orphans_to_kernel();
	return is_kept;
}

/*
 * False if no thread admits it, and the kernel is to keep it.  One may be about to take another signal that stands for
 * this one, too.  Those that are queued come in their order: behind some that wait for a thread, or that the kernel has.
 */
static bool give_to_process(const siginfo_t *info)
{
	int sig = info->si_signo;
	bool is_real_time = SIG_BIT(sig) & SIG_REAL_TIME, waits = is_real_time && orphan_waits(sig);

	if (is_real_time && !waits && is_pending_in_kernel(sig))
		return false;
	struct thread *me = rt_enter();
	bool is_given = !waits && (!sigqueue_begin_lending(sig) || give(sig, info));

	/* Those that admit it may all be in handlers that block it: they look for orphans at the end of these. */
	if (!is_given && (waits || (is_real_time && !(load_relaxed(&kernel_keeps) & SIG_BIT(sig)) && !kernel_counts()) ||
			  !(load_seq_cst(&sched_idle_kmask) & SIG_BIT(sig)))) {
		is_given = keep_for_later(info);
		signal_adopt_orphans();
	}
	if (!is_given)
		sigqueue_lent_to_nobody(sig);
	rt_leave(me);
	return is_given;
}

static bool is_given_to_main(struct thread *me, const siginfo_t *info)
{
	if (!signal_is_mains(me, info))
		return false;
	me = rt_enter();
	bool is_given = signal_lend_main(info);

	rt_leave(me);
	return is_given;
}

/* What main sends its own process, and admits, it takes before kill returns: the kernel prefers it.  Ends and stops, too. */
static bool is_mains_own(struct thread *me, int sig)
{
	if (me != thread_main() || sig == SIGKILL || (posix_mask(me) & SIG_BIT(sig)) ||
	    (me->kind != THREAD_USER && load_relaxed(&sched_is_confined)))
		return false;
	return sig == SIGSTOP || action_is_handler(sig) || (!(SIG_DEFAULT_IGNORED & SIG_BIT(sig)) && action_is_default(sig));
}

/*
 * A signal to the own process.  Main takes it if it can, as the kernel has it, else the caller itself, before kill
 * returns; else a thread that admits it is given it at once.  (The kernel might give it to an idle kernel thread of ours, which comes too late when those
 * that admit it end meanwhile.)  Where nobody does, it stays pending in the kernel.
 */
static bool sent_to_own_process(pid_t pid, int sig, int code, union sigval value, int *ret_err)
{
	struct thread *me = own_self();
	siginfo_t info;

	if (!me || sig <= 0 || sig > 64 || sig == 32 || sig == 33 || pid != sys_getpid())
		return false;
	if (is_mains_own(me, sig)) {
		*ret_err = send_any(me, sig, code, value);
		return true;
	}
	if (me->kind != THREAD_USER || (SIG_NEVER & SIG_BIT(sig)) || !action_is_handler(sig))
		return false;
	*ret_err = 0;
	signal_make_info(&info, sig, code, value);
	if (posix_mask(me) & SIG_BIT(sig))
		return give_to_process(&info);
	if (!is_given_to_main(me, &info))
		*ret_err = send_any(me, sig, code, value);
	return true;
}

/* It is to stay pending in the kernel where nobody admits it, for a signalfd to show: no idle kernel thread takes it. */
static void settle_first(pid_t pid, int sig)
{
	if (user_self() && sig > 0 && sig <= 64 && pid == sys_getpid())
		posix_mask_settle(SIG_BIT(sig));
}

int posix_process_of(int pid)
{
	return sched_is_started && pid >= THREAD_FIRST_TID && thread_by_tid(pid) ? sys_getpid() : pid;
}

EXPORT int kill(pid_t pid, int sig)
{
	int err;

	pid = posix_process_of(pid);
	if (sent_to_own_process(pid, sig, SI_USER, (union sigval){ 0 }, &err))
		return failed(err);
	settle_first(pid, sig);
	return REAL(kill)(pid, sig);
}

EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	int err;

	pid = posix_process_of(pid);
	if (sent_to_own_process(pid, sig, SI_QUEUE, value, &err))
		return failed(err);
	settle_first(pid, sig);
	return REAL(sigqueue)(pid, sig, value);
}

int posix_tgkill(int tgid, int tid, int sig)
{
	struct thread *t = sched_is_started && tid > 0 ? thread_by_tid(tid) : NULL;

	if (!t || (tgid != sys_getpid() && tgid != -1))
		return (int)(tgid == -1 ? arch_syscall2(SYS_tkill, tid, sig)
					: arch_syscall3(SYS_tgkill, tgid, tid, sig));
	return -send_any(t, sig, SI_TKILL, (union sigval){ 0 });
}

bool posix_tgsigqueue(int tgid, int tid, int sig, const siginfo_t *info, long *ret)
{
	struct thread *t = sched_is_started && tid > 0 ? thread_by_tid(tid) : NULL;
	siginfo_t copy;

	if (!t || tgid != sys_getpid())
		return false;
	*ret = -EINVAL;
	if (sig < 0 || sig > 64 || sig == 32 || sig == 33)
		return true;
	copy = *info;
	copy.si_signo = sig;
	if ((tid = kernel_destination(t)) != 0)
		*ret = -send_to_bound(tid, &copy);
	else
		*ret = sig ? -signal_send(t, &copy) : 0;
	return true;
}

EXPORT int tgkill(pid_t tgid, pid_t tid, int sig)
{
	if (tgid <= 0 || tid <= 0)
		return failed(EINVAL);
	return failed(-posix_tgkill(tgid, tid, sig));
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting for signals: sigwait and its like, and waits with another mask.
 *
 * Who has others beside it parks.  What is queued for it ends that; for what the kernel keeps pending
 * for the process, io_wait_signals does.  Who is alone waits in the kernel, with the vproc free meanwhile.
 *
 * PW_TAKES tells senders what the waiter would take: they queue, and end its wait, in the kernel by sending the
 * mark, and the queued signal is found.  In the kernel the thread must not move between that announcement
 * and the wait (PW_NO_PREEMPT), or the mark might go to where it was.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/signalfd.h>

#include "../sys/sys.h"
#include "alias.h"
#include "block.h"
#include "real.h"
#include "signal.h"

struct kernel_wait {
	struct thread *me;
	uintptr_t takes, no_preempt;
};

static void masks_begin(struct thread *me, const struct wait_masks *masks)
{
	compiler_barrier();		/* a handler reads them */
	word_set(me, PW_WAIT_MASKS, (uintptr_t)masks);
}

/* False if a handler has run, and the thread's mask is in force again, or what the handler made of it. */
static bool masks_end(struct thread *me)
{
	bool is_there = word_get(me, PW_WAIT_MASKS) != 0;

	word_set(me, PW_WAIT_MASKS, 0);
	return is_there;
}

/* Also when a cancellation unwinds, perhaps out of a handler. */
static void wait_end(struct kernel_wait *w)
{
	word_set(w->me, PW_TAKES, w->takes);
	masks_end(w->me);
	block_end(&w->me);
	word_set(w->me, PW_NO_PREEMPT, w->no_preempt);
}

static struct kernel_wait wait_begin(struct thread *me, uint64_t takes)
{
	struct kernel_wait w = { me, word_get(me, PW_TAKES), word_get(me, PW_NO_PREEMPT) };

	word_set(me, PW_NO_PREEMPT, w.no_preempt + NO_PREEMPT_WAIT);
	sched_begin_block(me);
	__atomic_store_n(&me->posix[PW_TAKES], (void *)(uintptr_t)takes, __ATOMIC_SEQ_CST);
	return w;
}

struct wait_words signal_wait_leave(struct thread *me)
{
	uintptr_t no_preempt = word_get(me, PW_NO_PREEMPT);
	uintptr_t waits = no_preempt % NO_PREEMPT_DEPARTURE / NO_PREEMPT_WAIT * NO_PREEMPT_WAIT;
	struct wait_words w = { word_get(me, PW_TAKES), waits, word_get(me, PW_WAIT_MASKS), me->wait_takes };

	if (likely(!(w.takes | w.no_preempt | w.masks | w.wait_takes)))
		return w;
	word_set(me, PW_TAKES, 0);
	word_set(me, PW_NO_PREEMPT, no_preempt - w.no_preempt);
	word_set(me, PW_WAIT_MASKS, 0);
	me->wait_takes = 0;
	return w;
}

/* What came meanwhile and the wait takes was sent to one that did not wait: it is to look. */
void signal_wait_resume(struct thread *me, const struct wait_words *w)
{
	if (likely(!(w->takes | w->no_preempt | w->masks | w->wait_takes)))
		return;
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + w->no_preempt);
	word_set(me, PW_WAIT_MASKS, w->masks);
	me->wait_takes = w->wait_takes;
	if (w->wait_takes)
		fetch_or(&me->pending, PEND_TAKES);	/* the handler itself may end the wait that it was about to begin */
	__atomic_store_n(&me->posix[PW_TAKES], (void *)w->takes, __ATOMIC_SEQ_CST);
	uint64_t came = (sigqueue_set(me) | orphan_set()) & w->takes;

	if (!came)
		return;
	fetch_or(&me->pending, PEND_TAKES);		/* for one that is about to park, */
	if (w->no_preempt && !(w->takes & TAKES_PARKED))	/* or to enter the kernel */
		signal_mark(sys_gettid(), __builtin_ctzll(came) + 1);
}

static bool take_queued(struct thread *me, uint64_t set, siginfo_t *info)
{
	return sigqueue_take_oldest(me, set, info) || orphan_take(set, info);
}

/* SIGURG, the runtime's own, is nowhere blocked in the kernel: it gets into our queues. */
static uint64_t kernels(uint64_t set)
{
	return set & ~SIG_BIT(SIGURG);
}

/* One wait in the kernel.  The mark stands for something queued, which the caller looks for. */
static int wait_once(struct thread *me, uint64_t set, siginfo_t *ret_info, const struct timespec *left)
{
	__attribute__((cleanup(wait_end))) struct kernel_wait w = wait_begin(me, set);
	sigset_t asked = { 0 };

	if (take_queued(me, set, ret_info))	/* came before the announcement */
		return ret_info->si_signo;
	*(uint64_t *)&asked = kernels(set);
	return REAL(sigtimedwait)(&asked, ret_info, left);
}

static const struct timespec *time_left(uint64_t deadline_ns, struct timespec *ts)
{
	uint64_t now = now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 0;

	if (deadline_ns == NEVER)
		return NULL;
	*ts = (struct timespec){ (time_t)(left / NS_PER_S), (long)(left % NS_PER_S) };
	return ts;
}

/* In the kernel. */
static int wait_blocked(struct thread *me, uint64_t set, siginfo_t *ret_info, uint64_t deadline_ns)
{
	uint64_t before = word_get(me, PW_HANDLERS);
	struct timespec ts;
	int sig;

	for (;;) {
		REAL(pthread_testcancel)();
		sig = wait_once(me, set, ret_info, time_left(deadline_ns, &ts));
		if (sig > 0 && !signal_is_mark(ret_info))
			return sig;
		if (sig < 0 && !(errno == EINTR && word_get(me, PW_HANDLERS) == before))
			return -errno;
	}
}

struct taking {
	struct thread *me;
	struct wait_masks masks;
	uintptr_t takes;
	uint32_t wait_takes;
};

/* While it waits, it blocks what it waits for: no handler gets it. */
static void taking_begin(struct taking *w, struct thread *me, uint64_t set)
{
	uint64_t was = posix_mask(me);

	*w = (struct taking){ me, { was, was, true }, word_get(me, PW_TAKES), me->wait_takes };
	if (set & ~SIG_FAULTS & ~was) {
		masks_begin(me, &w->masks);
		posix_mask_install(me, was | (set & ~SIG_FAULTS));
	}
	__atomic_store_n(&me->posix[PW_TAKES], (void *)(uintptr_t)set, __ATOMIC_SEQ_CST);
	me->wait_takes = PEND_TAKES;
}

/* Also when a cancellation unwinds.  What was lent to it meanwhile goes back when it looks. */
static void taking_end(struct taking *w)
{
	struct thread *me = w->me;

	me->wait_takes = w->wait_takes;
	__atomic_store_n(&me->posix[PW_TAKES], (void *)w->takes, __ATOMIC_SEQ_CST);
	if (masks_end(me))
		posix_mask_install(me, w->masks.was);
	if (unlikely(!sigqueue_is_empty(me)))
		fetch_or(&me->pending, PEND_SIGNAL);
}

/* What is queued, or pending in the kernel: 0 if nothing. */
static int take_now(struct thread *me, uint64_t set, siginfo_t *ret_info)
{
	const struct timespec zero = { 0 };
	uint64_t asked = kernels(set);
	long sig;

	if (take_queued(me, set, ret_info))
		return ret_info->si_signo;
	do {
		sig = arch_syscall4(SYS_rt_sigtimedwait, (long)&asked, (long)ret_info, (long)&zero, sizeof(asked));
	} while (sig > 0 && signal_is_mark(ret_info));		/* whose thread has moved on */
	return sig > 0 ? (int)sig : 0;
}

static int wait_parked(struct thread *me, uint64_t set, siginfo_t *ret_info, uint64_t deadline_ns)
{
	__attribute__((cleanup(taking_end))) struct taking w;

	taking_begin(&w, me, set);
	uint64_t before = word_get(me, PW_HANDLERS);
	int err, sig;

	do {
		REAL(pthread_testcancel)();
		fetch_and(&me->pending, ~(uint32_t)PEND_TAKES);
		if (take_queued(me, set, ret_info))
			return ret_info->si_signo;
		err = io_wait_signals(kernels(set), deadline_ns);
		sig = take_now(me, set, ret_info);
		if (err == 0)
			io_signals_pass_on();
		if (sig)
			return sig;
	} while (err == 0 || err == -ECANCELED || (err == -EINTR && word_get(me, PW_HANDLERS) == before));
	return err == -ETIMEDOUT ? -EAGAIN : err;
}

/* No wait at all. */
static int take_without_waiting(struct thread *me, uint64_t set, siginfo_t *ret_info)
{
	REAL(pthread_testcancel)();
	posix_mask_settle(set);
	int sig = take_now(me, set, ret_info);

	return sig ? sig : -EAGAIN;
}

static int wait_any(struct thread *me, uint64_t set, siginfo_t *ret_info, uint64_t deadline_ns)
{
	int sig = -EPERM;

	if (deadline_ns == 0)
		return take_without_waiting(me, set, ret_info);
	if (me->kind == THREAD_USER && io_parker() && !may_block(me))
		sig = wait_parked(me, set, ret_info, deadline_ns);
	return sig == -EPERM ? wait_blocked(me, set, ret_info, deadline_ns) : sig;
}

/* A signal, or -errno.  deadline_ns 0: only looks. */
static int wait_for(struct thread *me, const sigset_t *set, siginfo_t *ret_info, uint64_t deadline_ns)
{
	siginfo_t info;
	int sig = wait_any(me, mask_of(set) & ~SIG_NEVER, &info, deadline_ns);

	if (sig > 0)
		sigqueue_join_timer(me, &info);
	if (unlikely(load_relaxed(&me->pending) & PEND_SIGNAL))
		signal_deliver(me);
	if (sig > 0 && info.si_code == SI_TKILL)
		info.si_code = SI_USER;		/* as libc does */
	if (sig > 0 && ret_info)
		*ret_info = info;
	return sig;
}

static bool is_valid_time(const struct timespec *ts)
{
	return ts->tv_nsec >= 0 && ts->tv_nsec < (long)NS_PER_S && ts->tv_sec >= 0;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	struct thread *me = own_self();

	if (!me || (timeout && !is_valid_time(timeout)))
		return REAL(sigtimedwait)(set, info, timeout);
	uint64_t ns = timeout ? ns_from_timespec(timeout) : NEVER;

	return (int)answer(wait_for(me, set, info, ns && ns != NEVER ? ns_after(now_ns(), ns) : ns));
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return sigtimedwait(set, info, NULL);
}

EXPORT int sigwait(const sigset_t *set, int *ret_sig)
{
	struct thread *me = own_self();
	int saved = errno, sig;

	if (!me)
		return REAL(sigwait)(set, ret_sig);
	do
		sig = wait_for(me, set, NULL, NEVER);
	while (sig == -EINTR);
	errno = saved;
	if (sig < 0)
		return -sig;
	*ret_sig = sig;
	return 0;
}

static uint64_t queued_now(struct thread *me)
{
	return sigqueue_set(me) | orphan_set();
}

static void suspend_end(struct thread **me)
{
	masks_end(*me);
}

int signal_bound_call(struct thread *me, const sigset_t *mask, int (*call)(const sigset_t *, void *), void *arg)
{
	if (me->is_one_to_one && !load_relaxed(&sched_is_confined))	/* what it admits now is to be known to others */
		return signal_masked_call(me, mask_of(mask), call, arg);
	const struct wait_masks masks = { .mask = mask_of(mask) };
	__attribute__((cleanup(suspend_end))) struct thread *suspended = me;
	uint64_t before = handlers_run(me);
	int r;

	do {
		masks_begin(me, &masks);
		r = call(mask, arg);
	} while (r < 0 && errno == EINTR && handlers_run(me) == before);
	(void)suspended;
	return r;
}

/* -1 and EINTR: *ret_is_over if a handler that `mask` admits has run. */
static int masked_once(struct thread *me, uint64_t mask, int (*call)(const sigset_t *, void *), void *arg,
		       bool *ret_is_over)
{
	const struct wait_masks masks = { .mask = mask };
	sigset_t set = { 0 };

	*(uint64_t *)&set = me->kind == THREAD_USER ? mask & ~SIG_BIT(SIGURG) : mask;
	__attribute__((cleanup(wait_end))) struct kernel_wait w = wait_begin(me, ~mask & ~TAKES_PARKED);

	errno = EINTR;
	if (queued_now(me) & ~mask)
		return -1;
	masks_begin(me, &masks);
	int r = call(&set, arg);

	*ret_is_over = !masks_end(me);
	return r;
}

/* What is queued and `mask` admits is handled with that mask; true if it had a handler. */
static bool deliver_with(struct thread *me, uint64_t mask, uint64_t was)
{
	const struct wait_masks masks = { mask, was, true };
	uint64_t before = word_get(me, PW_HANDLERS), all = ~UINT64_C(0);

	sys_sigmask(SIG_SETMASK, &all, NULL);	/* none comes in between */
	masks_begin(me, &masks);
	posix_mask_install(me, mask);
	signal_deliver(me);
	bool is_handled = word_get(me, PW_HANDLERS) != before;

	if (masks_end(me))
		posix_mask_install(me, was);	/* what that admits may come at once, and is of no account */
	return is_handled;
}

/* Handlers that `mask` admits run, and end it. */
int signal_masked_call(struct thread *me, uint64_t mask, int (*call)(const sigset_t *, void *), void *arg)
{
	uint64_t was = posix_mask(me);
	bool is_over = false;

	mask &= ~SIG_NEVER;
	while (!is_over) {
		REAL(pthread_testcancel)();
		if (queued_now(me) & ~mask) {
			is_over = deliver_with(me, mask, was);
		} else {
			int r = masked_once(me, mask, call, arg, &is_over);

			if (r != -1 || errno != EINTR)
				return r;
		}
	}
	errno = EINTR;
	return -1;
}

struct masked_wait {
	struct thread *me;
	struct wait_masks masks;
	uintptr_t takes, no_preempt;
};

/*
 * Whoever waits takes what `mask` admits, and nothing is delivered to it on the way: so what comes
 * before the wait is queued, and found by the look at the queue that follows; what comes later ends
 * the wait (PW_TAKES).  A signal of ours in between takes off PEND_SIGNAL, the note that something came,
 * but not PEND_TAKES.
 */
static void masked_begin(struct masked_wait *w, struct thread *me, uint64_t mask)
{
	uint64_t was = posix_mask(me);

	*w = (struct masked_wait){ me, { mask, was, true }, word_get(me, PW_TAKES), word_get(me, PW_NO_PREEMPT) };
	word_set(me, PW_NO_PREEMPT, w->no_preempt + NO_PREEMPT_WAIT);
	/* Before the mask, and until that is as it was: what it admits in any case never seems to be blocked. */
	__atomic_store_n(&me->posix[PW_TAKES], (void *)(uintptr_t)~mask, __ATOMIC_SEQ_CST);
	masks_begin(me, &w->masks);
	posix_mask_install(me, ~SIG_FAULTS | was);
	posix_mask_announce(me, mask);
	me->wait_takes = PEND_TAKES;
}

/* Also when a cancellation unwinds. */
static void masked_end(struct masked_wait *w)
{
	bool is_untouched = masks_end(w->me);

	w->me->wait_takes = 0;
	posix_mask_announce(w->me, is_untouched ? w->masks.was : posix_mask(w->me));
	if (is_untouched)
		posix_mask_install(w->me, w->masks.was);
	__atomic_store_n(&w->me->posix[PW_TAKES], (void *)w->takes, __ATOMIC_RELEASE);
	word_set(w->me, PW_NO_PREEMPT, w->no_preempt);
}

/*
 * Until there is something, or a signal: -EINTR, *ret_is_over if its handler has run: of those that are for faults,
 * which are not blocked.  -EPERM: it was bound meanwhile, and its signals are the kernel's.
 */
static long masked_park(struct thread *me, uint64_t mask, const struct parked_call *call, bool *ret_is_over)
{
	__attribute__((cleanup(masked_end))) struct masked_wait w;

	masked_begin(&w, me, mask);
	uint64_t before = word_get(me, PW_HANDLERS);

	while (me->kind == THREAD_USER) {
		long r = call->look(call->arg);

		if (r != 0)
			return r;
		fetch_and(&me->pending, ~(uint32_t)PEND_TAKES);
		*ret_is_over = word_get(me, PW_HANDLERS) != before;
		if (*ret_is_over || (queued_now(me) & ~mask))
			return -EINTR;
		r = call->park(call->arg);
		if (r == -ECANCELED)
			REAL(pthread_testcancel)();
		else if (r == -ETIMEDOUT)
			return call->look(call->arg);
		else if (r != 0 && r != -EINTR && r != -EAGAIN)
			return r;
	}
	return -EPERM;
}

long signal_masked_park(struct thread *me, uint64_t mask, const struct parked_call *call)
{
	uint64_t was = posix_mask(me);
	bool is_over = false;
	long r;

	mask &= ~SIG_NEVER;
	REAL(pthread_testcancel)();
	do
		r = masked_park(me, mask, call, &is_over);
	while (r == -EINTR && !is_over && !deliver_with(me, mask, was));
	signal_deliver(me);		/* what only `mask` blocked, or only the wait */
	return r;
}

static int call_sigsuspend(const sigset_t *set, void *arg)
{
	(void)arg;
	return REAL(sigsuspend)(set);
}

static long look_for_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int park_for_ever(void *arg)
{
	(void)arg;
	return io_sleep(NEVER);
}

static int suspend(struct thread *me, uint64_t mask)
{
	const struct parked_call call = { look_for_nothing, park_for_ever, NULL };

	long r = !io_parker() || may_block(me) ? -EPERM : signal_masked_park(me, mask, &call);

	return r == -EPERM ? signal_masked_call(me, mask, call_sigsuspend, NULL) : (int)answer(r);
}

EXPORT int sigsuspend(const sigset_t *set)
{
	struct thread *me = user_self();

	if (me)
		return suspend(me, mask_of(set));
	me = sched_is_started ? self_ptr : NULL;
	if (!me || word_get(me, PW_VFORK))
		return REAL(sigsuspend)(set);
	return signal_bound_call(me, set, call_sigsuspend, NULL);
}
extern int __sigsuspend(const sigset_t *set);
ALIAS(__sigsuspend, sigsuspend);

EXPORT int pause(void)
{
	struct thread *me = user_self();

	if (me)
		return suspend(me, posix_mask(me));
	me = own_self();
	uint64_t before = me ? handlers_run(me) : 0;

	do {
		REAL(pause)();
	} while (me && handlers_run(me) == before);
	return -1;
}

/* BSD's takes a mask, System V's a signal to unblock. */
extern int __sigpause(int sig_or_mask, int is_sig);
EXPORT int __sigpause(int sig_or_mask, int is_sig)
{
	sigset_t set = { 0 };

	if (is_sig) {
		if (sigprocmask(SIG_BLOCK, NULL, &set) || sigdelset(&set, sig_or_mask))
			return -1;
	} else {
		*(uint64_t *)&set = (unsigned)sig_or_mask;
	}
	return sigsuspend(&set);
}

/* The header gives one name to the other. */
EXPORT int bsd_sigpause(int mask) __asm__("sigpause");
EXPORT int bsd_sigpause(int mask)
{
	return __sigpause(mask, 0);
}

EXPORT int xpg_sigpause(int sig) __asm__("__xpg_sigpause");
EXPORT int xpg_sigpause(int sig)
{
	return __sigpause(sig, 1);
}

EXPORT int sigpending(sigset_t *set)
{
	struct thread *me = own_self();

	if (me)
		posix_mask_settle(posix_mask(me));
	int err = REAL(sigpending)(set);

	if (me && !err)
		*(uint64_t *)set |= (sigqueue_set(me) | orphan_set()) & posix_mask(me);
	return err;
}

/* It shows what is pending in the kernel. */
EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	signal_show_in_kernel();
	return REAL(signalfd)(fd, set, flags);
}

/* What the program keeps as this thread's alternate stack; the kernel's belongs to the activation. */
EXPORT int sigaltstack(const stack_t *ss, stack_t *old)
{
	struct thread *me = user_self();

	if (!me)
		return REAL(sigaltstack)(ss, old);
	uintptr_t low = word_get(me, PW_ALT_SP), here = (uintptr_t)__builtin_frame_address(0);
	size_t bytes = word_get(me, PW_ALT_BYTES);
	bool is_on = bytes && here - low < bytes;
	stack_t was = { .ss_sp = (void *)low, .ss_size = bytes,
			.ss_flags = !bytes ? SS_DISABLE : is_on ? SS_ONSTACK : 0 };

	if (ss) {
		int mode = ss->ss_flags & INT_MAX;	/* without SS_AUTODISARM */
		int err = is_on ? EPERM
			: mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK ? EINVAL
			: !(ss->ss_flags & SS_DISABLE) && ss->ss_size < 2048 ? ENOMEM : 0;

		if (err) {
			errno = err;
			return -1;
		}
		signal_note_altstack(me, ss);
	}
	if (old)
		*old = was;
	return 0;
}

/* It does not say how large the stack is: libc takes its address for that, too. */
EXPORT int sigstack(struct sigstack *ss, struct sigstack *old)
{
	stack_t is = { 0 }, was;

	if (ss)
		is = (stack_t){ .ss_sp = ss->ss_sp, .ss_size = (uintptr_t)ss->ss_sp,
				.ss_flags = ss->ss_onstack ? SS_ONSTACK : 0 };
	int err = sigaltstack(ss ? &is : NULL, old ? &was : NULL);

	if (!err && old)
		*old = (struct sigstack){ .ss_sp = was.ss_sp, .ss_onstack = was.ss_flags & SS_ONSTACK };
	return err;
}

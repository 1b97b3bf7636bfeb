// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the kernel calls, and how a handler of the program runs.
 *
 * signal_enter is entered with every signal blocked.  On a thread outside the runtime it
 *   1. moves the frame, if the kernel put it on the activation's own alternate stack (the action
 *      says SA_ONSTACK), to the thread's alternate stack or to where the thread was: so the handler
 *      may switch threads like any code, and nothing of the thread stays on the activation;
 *   2. gives the thread the handler's mask;
 *   3. runs the handler, which may come back on another activation;
 *   4. blocks everything again, makes the frame fit the activation it is on now, notes the mask that
 *      sigreturn will install, and returns into sigreturn.
 *
 * A fault inside the runtime is the program's (a bad pointer it passed, or memory that its handler
 * is going to provide): its handler runs at once, as if outside; the frame remembers in uc_link,
 * which the kernel sets to 0 and never reads, that in_rt must be set again.  A fault of an idle
 * activation is our own bug and gets the default action.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../arch/arch.h"
#include "../sys/sys.h"
#include "bind.h"
#include "shared.h"
#include "signal.h"

typedef void handler_fn(int, siginfo_t *, void *);

static bool is_fault(int sig, const siginfo_t *info)
{
	return sig < 32 && (SIG_FAULTS & SIG_BIT(sig)) && info->si_code > 0;
}

static uint64_t *frame_mask(ucontext_t *uc)
{
	return (uint64_t *)&uc->uc_sigmask;
}

/* By SO_RCVTIMEO or SO_SNDTIMEO. */
static bool is_limited(long fd, int limit)
{
	struct timeval tv = { 0 };
	socklen_t size = sizeof(tv);

	return !arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, limit, (long)&tv, (long)&size) && (tv.tv_sec || tv.tv_usec);
}

/* Calls that may be made again just so: those that SA_RESTART lets go on, and that no span of time limits. */
static bool may_be_made_again(const ucontext_t *uc, long nr)
{
	long args[6];

	arch_context_call(uc, args);
	switch (nr) {
	case SYS_read: case SYS_readv:
		return !is_limited(args[0], SO_RCVTIMEO);
	case SYS_write: case SYS_writev:
		return !is_limited(args[0], SO_SNDTIMEO);
	case SYS_open: case SYS_openat: case SYS_creat: case SYS_ioctl: case SYS_flock: case SYS_wait4: case SYS_waitid:
		return true;
	case SYS_fcntl:
		return args[1] == F_SETLKW || args[1] == F_OFD_SETLKW;
	default:
		return false;
	}
}

/* Those beside read and write. */
static bool is_of_sockets(long nr)
{
	switch (nr) {
	case SYS_accept: case SYS_accept4: case SYS_connect: case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg:
	case SYS_sendto: case SYS_sendmsg: case SYS_sendmmsg:
		return true;
	default:
		return false;
	}
}

/*
 * The kernel lets calls go on after SIGURG, which is the runtime's as well.  Where the program's action does not say so,
 * the call fails.
 */
static void end_call_for_urg(const struct action *a, ucontext_t *uc)
{
	long nr = a->flags & SA_RESTART ? -1 : arch_context_restarted_call(uc);

	if (nr >= 0 && (may_be_made_again(uc, nr) || is_of_sockets(nr)))
		arch_context_end_call(uc);
}

/*
 * A handler has begun.  Whether a call goes on after it is said by the first one that runs since the call began to
 * wait, as in the kernel: those that run inside that one, or right after it, have no say.
 */
struct turn {
	uintptr_t handlers;
	bool decides, ends_call;
	uint32_t call;
};

/* A call, as long as it lasts: where it was made, and how deep. */
static uint32_t call_at(const void *uc)
{
	return (uint32_t)(arch_context_pc(uc) ^ arch_context_sp(uc) << 1);
}

static struct turn turn_begin(struct thread *me, const void *uc)
{
	return (struct turn){ word_get(me, PW_HANDLERS), load_relaxed(&me->wait_seq) != me->decided_seq,
			      arch_context_is_eintr(uc), call_at(uc) };
}

static void turn_end(struct thread *me, const struct turn *turn, const struct action *a)
{
	bool ends = turn->decides && !(a->flags & SA_RESTART);

	word_set(me, PW_HANDLERS, turn->handlers + 1 + ((uintptr_t)ends << 32));
	me->decided_seq = load_relaxed(&me->wait_seq);		/* relaxed: our own */
	if (turn->ends_call) {
		me->call_end = END_BY_HANDLER;
		me->ended_call = turn->call;
	}
}

/* The action to run, or none: it may have been changed between the kernel's decision and ours. */
static bool choose_action(int sig, const siginfo_t *info, struct action *ret_a)
{
	*ret_a = action_get(sig);
	if ((ret_a->flags & SA_RESETHAND) && ret_a->handler != (uintptr_t)SIG_DFL)
		action_take_once(sig, ret_a);		/* or another has just taken it */
	if (ret_a->handler == (uintptr_t)SIG_IGN)
		return false;
	if (ret_a->handler == (uintptr_t)SIG_DFL) {
		signal_do_default(self_ptr, info);
		return false;
	}
	return true;
}

/*
 * The kernel thread is nobody's, or a vfork child's: only the mask is ours to set.  The actions that we know are the
 * parent's of such a child, and keep their handlers.
 */
static void run_plain(int sig, siginfo_t *info, ucontext_t *uc)
{
	struct action a = action_get(sig);

	if (!self_ptr && !choose_action(sig, info, &a))
		return;
	uint64_t mask = *frame_mask(uc) | a.mask | (a.flags & SA_NODEFER ? 0 : SIG_BIT(sig));

	sys_sigmask(SIG_SETMASK, &mask, NULL);
	if (a.handler == (uintptr_t)SIG_DFL)
		signal_do_default(NULL, info);
	else if (a.handler != (uintptr_t)SIG_IGN)
		((handler_fn *)a.handler)(sig, info, uc);
}

/*
 * The queued signals that the returning frame admits: sent now, they come when sigreturn unblocks them.  All of them,
 * since the kernel would deliver them all: the lowest alone, sent in a loop, would keep the others waiting.
 */
static void chain_next(struct thread *me, uint64_t mask)
{
	fence_seq_cst();	/* pairs: signal_adopt_orphans */
	signal_take_orphans(me, ~mask);
	if (sigqueue_is_empty(me))
		return;
	uint64_t set = sigqueue_set(me) & ~mask;

	/* One of the runtime's may be pending here, and swallows the mark of its own number: who takes it looks again. */
	if (unlikely(set & SIG_BIT(SIGURG)))
		fetch_or(&me->pending, PEND_SIGNAL);
	for (; set; set &= set - 1)
		signal_mark(sys_gettid(), __builtin_ctzll(set) + 1);
}

/* Every signal is blocked from here to sigreturn: the thread stays on this activation. */
static void leave_frame(struct thread *me, ucontext_t *uc, struct activation *entered_on, bool blocked_urg)
{
	uint64_t all = ~UINT64_C(0);
	uintptr_t flags = word_get(me, PW_FLAGS) & ~(uintptr_t)PF_BLOCKS_URG;

	/* A handler that took signals out of the frame's mask, which its thread had blocked itself: it is to get them. */
	if (unlikely(word_get(me, PW_COUNTED) & ~*frame_mask(uc)) && !uc->uc_link)
		posix_mask_announce(me, *frame_mask(uc));
	sys_sigmask(SIG_SETMASK, &all, NULL);
	*frame_mask(uc) &= ~(SIG_NEVER | SIG_BIT(SIGURG));
	word_set(me, PW_FLAGS, flags | (blocked_urg ? PF_BLOCKS_URG : 0));
	if (me->act != entered_on)
		arch_syscall2(SYS_sigaltstack, 0, (long)&uc->uc_stack);
	sched_note_kmask(me, *frame_mask(uc));
	if (uc->uc_link) {
		uc->uc_link = NULL;
		me->in_rt = 1;
	} else {
		chain_next(me, *frame_mask(uc) | (blocked_urg ? SIG_BIT(SIGURG) : 0));
		cancel_ring(me);
	}
	if (unlikely(word_get(me, PW_NO_PREEMPT) & NO_PREEMPT_DEPARTURE) && blocked_urg)
		*frame_mask(uc) |= SIG_BIT(SIGURG);	/* as the new program is to find it */
}

void signal_leave(struct thread *me, ucontext_t *uc, struct activation *entered_on)
{
	leave_frame(me, uc, entered_on, word_get(me, PW_FLAGS) & PF_BLOCKS_URG);
}

/* What this thread did not admit while the handler ran may be with nobody. */
static void leave_frame_bound(struct thread *me, ucontext_t *uc)
{
	uint64_t all = ~UINT64_C(0);

	sys_sigmask(SIG_SETMASK, &all, NULL);
	me->kmask = *frame_mask(uc);
	if (uc->uc_link) {
		uc->uc_link = NULL;
		me->in_rt = 1;
	} else {
		if (me->is_one_to_one)
			chain_next(me, me->kmask);
		cancel_ring(me);
	}
}

/* The wait with another mask that this ends, or NULL. */
static const struct wait_masks *ended_wait(struct thread *me, int sig)
{
	const struct wait_masks *wait = (const struct wait_masks *)word_get(me, PW_WAIT_MASKS);

	if (likely(!wait) || (wait->mask & SIG_BIT(sig)))	/* it came just before */
		return NULL;
	word_set(me, PW_WAIT_MASKS, 0);
	return wait;
}

static void run_on_user(struct thread *me, const struct action *a, uint64_t mask, int sig, siginfo_t *info,
			ucontext_t *uc)
{
	struct activation *entered_on = me->act;
	struct turn turn = turn_begin(me, uc);
	bool departs = signal_departure_leave(me);

	posix_mask_install(me, mask);
	((handler_fn *)a->handler)(sig, info, uc);
	turn_end(me, &turn, a);
	if (unlikely(departs))
		signal_departure_resume(me);
	leave_frame(me, uc, entered_on, *frame_mask(uc) & SIG_BIT(SIGURG));
}

static void run_on_bound(struct thread *me, const struct action *a, uint64_t mask, int sig, siginfo_t *info,
			 ucontext_t *uc)
{
	struct turn turn = turn_begin(me, uc);

	posix_mask_install(me, mask);
	((handler_fn *)a->handler)(sig, info, uc);
	turn_end(me, &turn, a);
	leave_frame_bound(me, uc);
}

static void run_here(int sig, siginfo_t *info, void *ctx)
{
	struct thread *me = self_ptr;
	ucontext_t *uc = ctx;
	struct action a;

	if (!choose_action(sig, info, &a)) {
		if (uc->uc_link) {
			uc->uc_link = NULL;
			me->in_rt = 1;
		}
		return;
	}
	if (unlikely(sig == SIGURG))
		end_call_for_urg(&a, uc);
	const struct wait_masks *wait = ended_wait(me, sig);
	uint64_t mask = a.mask | (a.flags & SA_NODEFER ? 0 : SIG_BIT(sig));

	if (me->kind == THREAD_USER)	/* the kernel does not know that it is blocked; the handler sees it, and may change it */
		*frame_mask(uc) = (*frame_mask(uc) & ~SIG_BIT(SIGURG)) |
				  (word_get(me, PW_FLAGS) & PF_BLOCKS_URG ? SIG_BIT(SIGURG) : 0);
	mask |= wait ? wait->mask : *frame_mask(uc);
	struct wait_words waits = signal_wait_leave(me);

	if (wait && wait->is_ours) {
		*frame_mask(uc) = wait->was;
		if (me->kind == THREAD_USER)
			chain_next(me, mask);	/* what else ends the wait is not to wait for its frame */
	}
	if (me->kind == THREAD_USER)
		run_on_user(me, &a, mask, sig, info, uc);
	else
		run_on_bound(me, &a, mask, sig, info, uc);
	signal_wait_resume(me, &waits);
}

static bool is_within(uintptr_t address, uintptr_t low, size_t bytes)
{
	return address - low < bytes;
}

/*
 * Where the frame must go, or NULL: it may stay.  SIGURG comes on the kernel thread's alternate stack also where the
 * program's action does not say so, as the runtime's own does.
 */
static void *better_stack(struct thread *me, int sig, ucontext_t *uc)
{
	uintptr_t alt = word_get(me, PW_ALT_SP), sp = arch_context_sp(uc), kernels = (uintptr_t)uc->uc_stack.ss_sp;
	size_t bytes = word_get(me, PW_ALT_BYTES);
	bool is_for_alt = action_get(sig).flags & SA_ONSTACK;

	if (!is_within((uintptr_t)uc, kernels, uc->uc_stack.ss_size))
		return NULL;
	if (me->kind != THREAD_USER && (is_for_alt || is_within(sp, kernels, uc->uc_stack.ss_size)))
		return NULL;
	if (bytes && is_for_alt && !is_within(sp, alt, bytes))
		return (void *)(alt + bytes);
	return (void *)(sp - 128);		/* below the red zone */
}

static void run(struct thread *me, int sig, siginfo_t *info, ucontext_t *uc)
{
	void *top = better_stack(me, sig, uc);

	if (top)
		arch_move_sigframe(top, run_here, sig, info, uc);
	run_here(sig, info, uc);
}

/*
 * From the kernel, for this kernel thread: but for tgkill, it is the process's, and came here because
 * the kernel's mask was another than that of the thread, which has just begun or is about to change it.
 */
static void queue(struct thread *me, const siginfo_t *info)
{
	if (info->si_code == SI_TKILL)
		sigqueue_push(me, info);
	else if (word_get(me, PW_FLAGS) & PF_ENDS)
		orphan_push(info);		/* the monitor finds it */
	else if (signal_is_mains(me, info) && orphan_push(info))
		monitor_hurry();		/* the same, now */
	else if (me->kind != THREAD_USER || !(me->kmask & SIG_BIT(info->si_signo)))
		sigqueue_lend(me, info);	/* one on a kernel thread of its own may be meant, by pthread_sigqueue */
	else if (orphan_push(info))		/* where all who look see it */
		fetch_or(&me->pending, PEND_SIGNAL | PEND_ORPHAN);
}

static void die_by_default(int sig)
{
	struct { uintptr_t handler; uint64_t flags; void *restorer; uint64_t mask; } dfl = { 0 };

	arch_syscall4(SYS_rt_sigaction, sig, (long)&dfl, 0, 8);
}

/* The thread is inside the runtime.  True when the handler is to run nevertheless. */
static bool defer(struct thread *me, int sig, siginfo_t *info, ucontext_t *uc)
{
	if (is_fault(sig, info)) {
		if (me->kind == THREAD_IDLE) {
			die_by_default(sig);	/* the instruction faults again */
			return false;
		}
		uc->uc_link = uc;
		return true;
	}
	if (me->kind == THREAD_IDLE) {
		if (!signal_is_mark(info))
			orphan_push(info);
		sched_idle_signal(me);	/* by a mark it is told that its mask has changed */
	} else if (signal_is_mark(info)) {
		fetch_or(&me->pending, PEND_SIGNAL);	/* it had looked: chain_next sent it before we were preempted */
	} else {
		queue(me, info);
	}
	return false;
}

/* Every signal is blocked: nobody takes the activation from under us. */
static bool lend_main(struct thread *me, const siginfo_t *info)
{
	me->in_rt = 1;
	compiler_barrier();
	bool is_lent = signal_lend_main(info);

	compiler_barrier();
	me->in_rt = 0;
	return is_lent;
}

/*
 * The kernel has ended a call, perhaps, for a signal without a handler here: it is made again.  Others than these the
 * wrapper that made them begins again; what libc makes by itself fails.  One that a handler has just ended remains so.
 */
static void note_vain_end(struct thread *me, ucontext_t *uc)
{
	if (!arch_context_is_eintr(uc))
		return;
	long nr = me->ended_call == call_at(uc) ? -1 : arch_context_ended_call(uc);

	me->ended_call = 0;
	if (nr >= 0 && may_be_made_again(uc, nr))
		arch_context_call_again(uc, nr);
	else if (me->call_end != END_BY_HANDLER)
		me->call_end = END_IN_VAIN;
}

/* True when the handler is to run now; *info says for what. */
static bool admit(struct thread *me, int sig, siginfo_t *info, ucontext_t *uc)
{
	siginfo_t queued;

	uc->uc_link = NULL;
	if (sig == SIGURG && (word_get(me, PW_FLAGS) & PF_BLOCKS_URG)) {
		if (!signal_is_mark(info))	/* by a mark another tells of what is queued, and was admitted then */
			queue(me, info);	/* the kernel could not know that it is blocked */
		return false;
	}
	uintptr_t flags = word_get(me, PW_FLAGS);

	if ((flags & PF_BINDS) || ((me->in_rt || me->awaits_spare) && !(flags & PF_DELIVERS))) {
		if (!defer(me, sig, info, uc))
			return false;
	} else if (signal_is_mains(me, info) && lend_main(me, info)) {
		note_vain_end(me, uc);
		return false;
	}
	me->in_rt = 0;
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_DELIVERS);
	if (sched_may_be_kick(info) && sigqueue_take_oldest(me, SIG_BIT(sig), &queued)) {
		*info = queued;
		return true;
	}
	if (!signal_is_mark(info)) {
		sigqueue_join_timer(me, info);
		if (sig >= 32)
			sigqueue_join_queued(me, info);
		return true;
	}
	if (!sigqueue_take_oldest(me, SIG_BIT(sig), &queued)) {
		note_vain_end(me, uc);		/* a mark, of what was handled already */
		return false;
	}
	*info = queued;
	return true;
}

void signal_enter(int sig, siginfo_t *info, void *uc)
{
	struct thread *me = self_ptr;

	if (me)
		shared_trap_off(me);
	if (!me || word_get(me, PW_VFORK))
		run_plain(sig, info, uc);
	else if (admit(me, sig, info, uc))
		run(me, sig, info, uc);
}

/*
 * One kernel thread, or several that are libc's own.  The kernel has set the handler's mask, which
 * is left alone; unless threads start in the handler.
 */
void signal_enter_early(int sig, siginfo_t *info, void *ctx)
{
	struct thread *me = self_ptr;
	ucontext_t *uc = ctx;
	struct action a;

	if (me && !word_get(me, PW_VFORK) && !admit(me, sig, info, uc))
		return;
	if (!choose_action(sig, info, &a))
		return;
	struct turn turn = me ? turn_begin(me, uc) : (struct turn){ 0 };

	((handler_fn *)a.handler)(sig, info, uc);
	if (!me || word_get(me, PW_VFORK))
		return;
	turn_end(me, &turn, &a);
	if (me->kind == THREAD_USER)
		leave_frame(me, uc, NULL, *frame_mask(uc) & SIG_BIT(SIGURG));
	else if (uc->uc_link)
		me->in_rt = 1;
}

/*
 * What may be left pending until the frame has been left: signals that have handlers.  On a stack for frames also those
 * that are blocked, or nobody's, since handlers for the alternate stack are not to run before: who waits there is within
 * one of these as a rule, whose frames the next would overwrite.
 */
static bool has_handlers_only(struct thread *me, uint32_t bits, const void *uc)
{
	uint64_t set = sigqueue_set(me), blocked = posix_mask(me);
	bool is_apart = sched_is_on_frame_stack(me, (uintptr_t)uc);

	if ((bits & PEND_CANCEL) || word_get(me, PW_WISH) || bind_binds_all() ||
	    (!is_apart && (me->binds_soon || (bits & PEND_ORPHAN) || (set & blocked))))
		return false;
	for (set &= ~blocked; set; set &= set - 1)
		if (!action_is_handler(__builtin_ctzll(set) + 1))
			return false;
	return true;
}

static void on_pending(struct thread *me, uint32_t bits, void *uc)
{
	uint64_t all = ~UINT64_C(0);

	if (me->kind == THREAD_IDLE) {
		signal_adopt_orphans();
		return;
	}
	if (uc && (word_get(me, PW_FLAGS) & PF_BINDS))
		return;		/* it looks when it has been bound; here the next would come as soon as the mask is the frame's */
	bool is_quick = uc && has_handlers_only(me, bits, uc);
	bool blocks_urg = me->kind == THREAD_USER && (word_get(me, PW_FLAGS) & PF_BLOCKS_URG);

	if (uc && !is_quick)
		sys_sigmask(SIG_SETMASK, frame_mask(uc), NULL);
	if ((bits & PEND_SIGNAL) && !is_quick)
		(uc ? signal_deliver_default : signal_deliver)(me);
	if (bits & PEND_CANCEL)
		cancel_act(me);
	if (!uc)
		return;
	if (!is_quick)
		sys_sigmask(SIG_SETMASK, &all, NULL);
	if (me->kind == THREAD_BOUND && blocks_urg)
		*frame_mask(uc) |= SIG_BIT(SIGURG);	/* it has just been bound: the kernel blocks that for it, too */
	if (is_quick && ((bits & PEND_ORPHAN) || (sigqueue_set(me) & posix_mask(me))))
		fetch_or(&me->pending, bits & (PEND_SIGNAL | PEND_ORPHAN));	/* later */
	/* A handler that ran now would see the runtime's registers. */
	chain_next(me, me->kind == THREAD_BOUND ? *frame_mask(uc) : posix_mask(me));
	cancel_ring(me);
}

/* An idle activation that took a signal and found work at the same moment leaves it to us. */
static void on_tick(uint64_t now)
{
	(void)now;
	if (orphan_set())
		signal_adopt_orphans();
}

static char *altstack(const struct thread *me, size_t *ret_bytes)
{
	*ret_bytes = word_get(me, PW_ALT_BYTES);
	return (char *)word_get(me, PW_ALT_SP);
}

__attribute__((constructor(102))) static void load(void)
{
	sched_hooks.altstack = altstack;
	sched_hooks.pending = on_pending;
	sched_hooks.tick = on_tick;
	sched_hooks.foreign_signal = signal_enter;
}

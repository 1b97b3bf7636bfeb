// SPDX-License-Identifier: BSD-2-Clause
/*
 * Process-shared objects are libc's, since processes on plain glibc may use them too.  A thread that
 * waits for one nevertheless holds no kernel thread.
 *
 * libc's algorithms are its own affair and differ from version to version; but each of them waits by
 * a futex call, made by an instruction in libc's text.  The kernel can be told to hand the system
 * calls of a kernel thread to us, all but those made in our own text (syscall user dispatch, Linux
 * 5.11): the signal SIGSYS comes, whose handler has the call's arguments and gives it its result.  So
 * around a wait of libc's the calls are trapped (SHARED_WAIT); a futex wait becomes a park until an
 * io_uring tells of the wake-up (io/ring.c), anything else is made as it is.
 *
 * That state is the kernel thread's, so a thread stays on it while it is on (PF_TRAPS,
 * PW_NO_PREEMPT); it is off while the thread is parked, and put on again, perhaps on another kernel
 * thread, when libc's code goes on.  Any other handler that comes ends it for the rest of the call:
 * a further wait in that call then holds a kernel thread.  So does a preemption that was refused for long.
 *
 * Rejected: libc's algorithms written anew (conditions and rwlocks have changed twice, and a process
 * may meet one with the other version); a kernel thread that waits for many (a wake-up wakes one
 * waiter, and which, is not to be known).
 */
#include "shared.h"

#include <errno.h>
#include <sys/prctl.h>

#include "../sync/lot.h"
#include "../sys/sys.h"
#include "block.h"
#include "rawcall.h"

enum { DISPATCH = 59, DISPATCH_OFF, DISPATCH_ON, FROM_DISPATCH = 2 };	/* <linux/prctl.h>, si_code */
_Static_assert(DISPATCH_OFF - DISPATCH == 1, "numbers");

extern const char text_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char text_end[] __asm__("etext") __attribute__((visibility("hidden")));

static struct au32 is_wanted;	/* SIGSYS is to have our handler */
static struct au32 is_installed;/* it has it: set last, nobody may trap before */

bool shared_is_wanted(void)
{
	return load_acquire(&is_wanted);
}

void shared_fork_child(void)
{
	store_relaxed(&is_wanted, 0);
	store_relaxed(&is_installed, 0);
}

static int dispatch(bool on)
{
	return (int)arch_syscall5(SYS_prctl, DISPATCH, on, on ? (long)text_begin : 0,
				  on ? text_end - text_begin : 0, 0);
}

/* Where the kernel refuses it, the call simply blocks. */
static void trap_on(struct thread *me)
{
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + 1);
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_TRAPS);
	dispatch(true);
	if (unlikely(!(word_get(me, PW_FLAGS) & PF_TRAPS)))	/* a handler that came before the call has ended it */
		dispatch(false);
}

void shared_trap_leave(struct thread *me)
{
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_TRAPS);	/* first: handlers do this, too */
	dispatch(false);
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) - 1);
}

/* Whoever is here at the same time does it as well. */
static COLD void install(void)
{
	store_seq_cst(&is_wanted, 1);
	action_renew(SIGSYS);
	store_release(&is_installed, 1);
}

struct shared_trap shared_trap_begin(void)
{
	struct shared_trap trap = { .me = io_parker() };

	if (!trap.me || may_block(trap.me) || load_relaxed(&sched_is_confined) || !ring_is_open()) {
		trap.me = NULL;
		return trap;
	}
	if (unlikely(!load_acquire(&is_installed)))
		install();
	/* The kernel kills who blocks this signal when it is to be delivered. */
	trap.blocked_it = trap.me->kmask & SIG_BIT(SIGSYS);
	if (trap.blocked_it)
		sched_set_kmask(trap.me, trap.me->kmask & ~SIG_BIT(SIGSYS));
	trap_on(trap.me);
	return trap;
}

void shared_trap_end(struct shared_trap *trap)
{
	if (!trap->me)
		return;
	shared_trap_off(trap->me);
	if (trap->blocked_it)
		posix_mask_install(trap->me, posix_mask(trap->me) | SIG_BIT(SIGSYS));
}

/* The call that was trapped. */
static long make_call(const ucontext_t *uc)
{
	long args[6], nr = arch_context_call(uc, args);

	return nr == SYS_futex ? futex_in_kernel(args) : raw_call(nr, args);
}

void shared_on_trap(int sig, siginfo_t *info, void *ctx)
{
	uint64_t all = ~UINT64_C(0);
	struct thread *me = self_ptr;
	ucontext_t *uc = ctx;

	if (info->si_code != FROM_DISPATCH) {		/* the program's own: as all other handlers */
		sys_sigmask(SIG_SETMASK, &all, NULL);
		signal_enter(sig, info, ctx);
		return;
	}
	struct activation *entered_on = me->act;
	bool was_on = word_get(me, PW_FLAGS) & PF_TRAPS;	/* else somebody is just about to end it */

	if (was_on)
		shared_trap_leave(me);
	else
		dispatch(false);
	uc->uc_link = NULL;
	arch_context_set_result(uc, make_call(uc));
	signal_leave(me, uc, entered_on);		/* every signal is blocked: it stays here */
	if (was_on && me->kind == THREAD_USER)
		trap_on(me);
}

/* Libc's loops have no end where another process writes rubbish: who was asked to give way in vain goes on untrapped. */
static void on_force(struct thread *me)
{
	shared_trap_off(me);
}

__attribute__((constructor(102))) static void load(void)
{
	sched_hooks.forced = on_force;
}

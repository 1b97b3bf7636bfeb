// SPDX-License-Identifier: BSD-2-Clause
/*
 * pthread_cancel for threads that are not kernel threads.
 *
 * libc's own flags in the target's block stay the truth, so that its setcancelstate, testcancel,
 * cleanup handlers and unwinding work unchanged.  What cannot be libc's is reaching the target: its
 * signal goes to a kernel thread, and its handler cancels whoever runs there.  Ours looks at the
 * flags of the thread it finds.
 *
 *   parked      its wait ends with WAIT_CANCEL and the wrapper calls pthread_testcancel
 *   in a call   libc's cancellation points are asynchronous meanwhile (or, from 2.41 on, libc's
 *               handler knows them by the program counter): the signal ends them
 *   computing   the signal acts if the type is asynchronous
 *   ready       as the last two, when it runs next (PEND_SIGNAL makes it look)
 *
 * Where threads are kernel threads (--bound) libc cancels them; but those that wait in our parking
 * lot are in none of libc's calls, and are told.  They are found by a walk under the list's lock:
 * one that is not there yet enters the list later, and looks at its flags after that.  libc's handler
 * is kept from acting amid our runtime: cancel_act does it when that is left.
 *
 * Where the flags are is exported for debuggers; which bits they are is found by looking on while
 * libc sets them for a thread that has cancellation disabled.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "../base/lock.h"
#include "../sync/lot.h"
#include "../sys/sys.h"
#include "../thread/inside.h"
#include "real.h"
#include "shared.h"
#include "signal.h"

enum { CANCEL_SIGNAL = 32, BITS_OF_OLD = 0xc };

uint32_t posix_cancel_offset;

static struct {
	uint32_t canceled, disabled;	/* bits */
	void (*libc_handler)(int, siginfo_t *, void *);
	/* Looked up beforehand: a thread that acts may be cancelled at any instruction, amid a dlsym too. */
	int (*setcanceltype)(int, int *);
	void (*testcancel)(void);
	struct au32 is_ready;
	struct lock lock;
} cancel;

/* Whoever held it is not there. */
void cancel_fork_child(void)
{
	lock_fork_child(&cancel.lock);
}

/* libc leaves the rest of a cancellation to its handler. */
static bool is_libcs(const struct thread *me)
{
	return me->kind == THREAD_BOUND && !me->is_one_to_one;
}

static struct au32 *flags_of(struct thread *t)
{
	return (struct au32 *)((char *)t->tls + posix_cancel_offset);
}

static bool is_due(struct thread *me)
{
	uint32_t flags = load_seq_cst(flags_of(me));

	return (flags & cancel.canceled) == cancel.canceled && !(flags & cancel.disabled);
}

bool cancel_is_due(struct thread *me)
{
	return posix_cancel_offset && load_acquire(&cancel.is_ready) && is_due(me);
}

void cancel_act(struct thread *me)
{
	int type;

	if (!cancel_is_due(me))
		return;
	cancel.setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	if (type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return;
	/* The handlers above us will never return: what they would restore is restored here. */
	if (!is_libcs(me))
		sys_sigmask(SIG_SETMASK, &me->kmask, NULL);
	cancel.testcancel();
}

/*
 * From 2.41 on libc cancels a call only where the signal finds the thread in it.  One that was made to give way there was
 * not found: the signal comes when the frame is left.  So it does where it came as a handler began, or ended, inside
 * the runtime for a moment.
 */
void cancel_ring(struct thread *me)
{
	if (cancel_is_due(me))
		sys_tgkill(sys_gettid(), CANCEL_SIGNAL);
}

static void on_cancel(int sig, siginfo_t *info, void *uc)
{
	struct thread *me = self_ptr;

	if (!me) {
		if (cancel.libc_handler)
			cancel.libc_handler(sig, info, uc);
		return;
	}
	if (is_libcs(me) && me->in_rt) {
		fetch_or(flags_of(me), cancel.canceled);	/* as libc's handler would; cancel_act does the rest */
		fetch_or(&me->pending, PEND_CANCEL | PEND_SIGNAL);
		return;
	}
	if (me->kind == THREAD_IDLE || me->in_rt || me->awaits_spare || (!is_libcs(me) && !is_due(me)))
		return;
	shared_trap_off(me);
	if (cancel.libc_handler)
		cancel.libc_handler(sig, info, uc);
	cancel_act(me);
}

/* libc sets its handler at its first pthread_cancel; after that ours takes its place. */
static void replace_handler(void)
{
	struct {
		void (*handler)(int, siginfo_t *, void *);
		uint64_t flags;
		void (*restorer)(void);
		uint64_t mask;
	} old, new = { on_cancel, SA_SIGINFO | SA_RESTART | SA_NODEFER | 0x04000000 /* SA_RESTORER */,
		       arch_sigreturn, 0 };

	arch_syscall4(SYS_rt_sigaction, CANCEL_SIGNAL, (long)&new, (long)&old, 8);
	if (old.handler != (void *)SIG_DFL && old.handler != on_cancel)
		cancel.libc_handler = old.handler;
}

static void probe(struct thread *me)
{
	struct au32 *flags = flags_of(me);
	int state;

	cancel.setcanceltype = REAL(pthread_setcanceltype);
	cancel.testcancel = REAL(pthread_testcancel);
	REAL(pthread_setcancelstate)(PTHREAD_CANCEL_ENABLE, &state);
	uint32_t enabled = load_seq_cst(flags);

	REAL(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, NULL);
	uint32_t before = load_seq_cst(flags);

	cancel.disabled = before & ~enabled;
	REAL(pthread_cancel)((pthread_t)me->tls);
	cancel.canceled = load_seq_cst(flags) & ~before;
	if (cancel.canceled)
		fetch_and(flags, ~cancel.canceled);
	else
		cancel.canceled = BITS_OF_OLD;	/* it is being cancelled itself */
	REAL(pthread_setcancelstate)(state, NULL);
}

/*
 * libc may load a library here: the lock is held outside the runtime, by a thread that stays.  It is taken once and not
 * dropped: as soon as all is ready its holder may be cancelled at any instruction, and nobody wants it any more.
 */
static void prepare(struct thread *me)
{
	while (!load_acquire(&cancel.is_ready) && !lock_try(&cancel.lock))
		sched_yield();
	if (load_acquire(&cancel.is_ready))
		return;
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + 1);
	probe(me);
	replace_handler();
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) - 1);
	store_release(&cancel.is_ready, 1);
}

static void reach(struct thread *t)
{
	struct thread *me = rt_enter();

	/* A wait that is no cancellation point ends too, for a look at the type. */
	if (!lot_interrupt(t, WAIT_CANCEL) && !lot_interrupt(t, WAIT_SIGNAL)) {
		int tid = t->kind == THREAD_USER ? sched_tid_of(t) : posix_kernel_tid_now(t);

		if (tid)
			sys_tgkill(tid, CANCEL_SIGNAL);
	}
	rt_leave(me);
}

/* The next thread in `threads` after `at` that runs, or ran, on this block. */
static struct thread *next_on_block(struct list *at, const void *block)
{
	for (; at != &threads.all; at = at->next) {
		struct thread *t = container_of(at, struct thread, all_link);

		if (t->kind == THREAD_BOUND && t->tls == block)
			return t;
	}
	return NULL;
}

/* Descriptors of dead threads may be among them: those hear it in vain. */
static void tell_bound(const void *block)
{
	struct thread *me = rt_enter(), *t;

	thread_lock_all();
	t = next_on_block(threads.all.next, block);
	while (t) {
		fetch_or(&t->pending, PEND_CANCEL);
		lot_interrupt(t, WAIT_CANCEL);
		t = next_on_block(t->all_link.next, block);
	}
	thread_unlock_all();
	rt_leave(me);
}

static void find_flags(void)
{
	const uint32_t *field = posix_cancel_offset ? NULL : inside_find("_thread_db_pthread_cancelhandling");

	if (field)
		posix_cancel_offset = field[2];		/* size in bits, elements, offset */
}

EXPORT int pthread_cancel(pthread_t handle)
{
	struct thread *me = thread_self();
	struct thread *t = sched_is_started && posix_cancel_offset ? thread_of(handle) : NULL;

	if (!t) {
		find_flags();
		if (posix_cancel_offset)
			prepare(me);
		int err = REAL(pthread_cancel)(handle);

		if (!err)
			tell_bound((const void *)handle);
		return err;
	}
	if (load_acquire(&t->state) == T_DONE)
		return 0;
	prepare(me);
	uint32_t was = fetch_or(flags_of(t), cancel.canceled);

	if ((was & cancel.canceled) == cancel.canceled)
		return 0;
	if (t == me) {
		cancel_act(me);
		return 0;
	}
	if (was & cancel.disabled)
		return 0;		/* it looks when it enables it */
	fetch_or(&t->pending, PEND_CANCEL | PEND_SIGNAL);	/* the latter: look on leaving the runtime */
	reach(t);
	return 0;
}

void cancel_reset(struct thread *t)
{
	if (posix_cancel_offset)
		store_relaxed(flags_of(t), 0);	/* nobody else knows t yet */
}

void cancel_start(void)
{
	find_flags();
	posix_watch_main();
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting for signals that all kernel threads block, and that stay pending in the kernel therefore.
 *
 * One signalfd for the process, made when it is first needed, with all signals that anybody has waited
 * for so far.  The poller sees an edge of it when one comes, and wakes a thread that waits for it, which
 * takes the signal from the kernel itself.  Until then it is pending, as it would be for kernel threads:
 * a waiter that leaves meanwhile has nothing to give back.  Nothing is ever read from the signalfd.
 *
 * One edge may stand for several signals: whoever was woken by one, and has taken what he could get,
 * looks for whom there is more (io_signals_pass_on).
 *
 * Rejected: a kernel thread in sigtimedwait for all, which takes what the process has to see as pending;
 * idle activations that admit these signals, since ignored ones would be dropped.
 * Order:
 *   signals.edge  waiter: count itself, read `edges`, ask the kernel, and under the bucket's lock queue if
 *                 `edges` is the same; poller: edge seen, `edges` grows, ask the kernel, wake under the lock
 */
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "../base/child.h"
#include "../sys/sys.h"
#include "slot.h"

enum { UNKNOWN, OPEN, NONE };
enum { SIGSET_BYTES = 8 };

static struct {
	struct au32 fd;		/* -1 as all bits set */
	struct lock open_lock;
	struct au32 state;
	struct au32 edges;
	struct au32 waiters;	/* that ask the kernel, or are parked */
	struct au64 watched;	/* the signals of the signalfd; only grows */
} signals = { .fd = { -1u } };

int signals_fd(void)
{
	return (int)load_acquire(&signals.fd);
}

static int set_fd(int fd, uint64_t set)
{
	return (int)arch_syscall4(SYS_signalfd4, fd, (long)&set, SIGSET_BYTES, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_open(int ep)
{
	int fd = set_fd(-1, load_relaxed(&signals.watched));	/* relaxed: watch() looks again */

	if (fd < 0)
		return fd;
	fd = epoll_move_up(fd);
	int err = epoll_watch_signals(ep, fd);

	if (err) {
		arch_syscall1(SYS_close, fd);
		return err;
	}
	store_release(&signals.fd, (uint32_t)fd);
	return 0;
}

/* Who comes amid the opening waits for it: a wait without it holds a kernel thread. */
static COLD bool open_once(void)
{
	lock_take(&signals.open_lock);
	if (load_relaxed(&signals.state) == UNKNOWN)
		store_release(&signals.state, epoll_open_signals() == 0 ? OPEN : NONE);
	lock_drop(&signals.open_lock);
	return load_acquire(&signals.state) == OPEN;
}

/* Inside the runtime. */
static bool is_open(void)
{
	uint32_t state = load_acquire(&signals.state);

	return likely(state == OPEN) || (state == UNKNOWN && open_once());
}

/* Two may do it at once: the kernel is told until it was told all; then it says at once what is pending. */
static bool watch(uint64_t set)
{
	uint64_t told;

	if (!is_open())
		return false;
	if (!(set & ~load_seq_cst(&signals.watched)))
		return true;
	fetch_or(&signals.watched, set);
	do {
		told = load_seq_cst(&signals.watched);
		if (set_fd(signals_fd(), told) < 0)
			return false;
	} while (load_seq_cst(&signals.watched) != told);
	return true;
}

/* Of what this kernel thread blocks. */
static uint64_t pending(void)
{
	uint64_t set = 0;

	arch_syscall2(SYS_rt_sigpending, (long)&set, SIGSET_BYTES);
	return set;
}

static int wake_for(uint64_t set)
{
	int woken = 0;

	for (; set; set &= set - 1)
		woken += lot_wake_bits(&signals.edges, set & -set, 1);
	return woken;
}

int signals_edge(void)
{
	fetch_add(&signals.edges, 1);		/* pairs: signals.edge */
	return load_seq_cst(&signals.waiters) ? wake_for(pending()) : 0;
}

static int look_and_park(struct thread *me, uint64_t set, uint64_t deadline_ns)
{
	uint32_t edges = load_seq_cst(&signals.edges);	/* pairs: signals.edge */

	if (pending() & set)
		return 0;
	struct bucket *b = lot_begin(me, &signals.edges, WAIT_SIGWAIT, LOT_INTERRUPTIBLE);

	if (load_seq_cst(&signals.edges) != edges) {
		lot_abort(me, b);
		return 0;
	}
	me->wait_arg = set;
	lot_queue(me, b);
	enum wait_result r = lot_sleep(me, deadline_ns);

	/* A handler that runs on the way out may jump away: then others are to be woken first. */
	if (r == WAIT_WOKEN && unlikely(load_relaxed(&me->pending) & PEND_SIGNAL))
		wake_for(pending());
	return wait_error(r);
}

int io_wait_signals(uint64_t set, uint64_t deadline_ns)
{
	struct thread *me = rt_enter();
	int err = -EPERM;

	fetch_add(&signals.waiters, 1);
	epoll_begin_wait(me);
	if (watch(set))
		err = look_and_park(me, set, deadline_ns);
	epoll_end_wait(me);
	fetch_sub(&signals.waiters, 1);
	rt_leave(me);
	return err;
}

void io_signals_pass_on(void)
{
	struct thread *me;

	if (!load_seq_cst(&signals.waiters))
		return;
	me = rt_enter();
	wake_for(pending());
	rt_leave(me);
}

/* The signalfd is of the parent's signals, and its instance's. */
void signals_fork_child(bool shares_files)
{
	if (signals_fd() >= 0 && !shares_files)
		arch_syscall1(SYS_close, signals_fd());
	if (signals_fd() >= 0)
		store_relaxed(&signals.fd, -1u);
	zero_in_child(&signals.open_lock, sizeof(signals) - offsetof(__typeof__(signals), open_lock));
}

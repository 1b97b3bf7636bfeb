// SPDX-License-Identifier: BSD-2-Clause
/*
 * The epoll instance of the process, and the poller that an idle vproc sleeps in.
 *
 * Only one kernel thread sleeps in it at a time (sched sees to that); busy ones look in now and
 * then.  What comes back with an event is the descriptor and its generation at registration.
 *
 * The descriptors of our own, these two, the ring's and the signals', live at the top of the descriptor
 * table, out of the program's way; but not above FD_TOP, just beyond what select can name, as the kernel copies all below
 * the highest one for each child.
 * A program that closes them all the same is survived: a new instance takes over.
 * Order:
 *   poll.kick  sleeper: sleeps = 1, xchg kicked; kicker: kicked = 1, read sleeps
 *
 * A busy one that looks in may get a kick that is the sleeper's, who went to sleep meanwhile: it kicks
 * again (tests/model/idle.pml, LOOKS).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "../base/child.h"
#include "../base/clock.h"
#include "../base/lock.h"
#include "../base/print.h"
#include "../sys/sys.h"
#include "slot.h"

enum { BATCH = 128, FD_STEP = 16, FD_TOP = FD_SETSIZE + FD_STEP, SHARDS = 4 };
static const uint64_t kick_data = UINT64_MAX, ring_data = UINT64_MAX - 1, signals_data = UINT64_MAX - 2;
static const uint32_t wanted = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;

static struct {
	struct au32 epfd;		/* both: -1 as all bits set; written under `lock` */
	struct au32 kickfd;
	struct lock lock;
	struct au32 sleeps;		/* somebody sleeps in the poller, or is about to */
	struct au32 kicked;
	struct au32 has_no_pwait2;
} poller = { .epfd = { -1u }, .kickfd = { -1u } };

/* Threads parked on descriptors, spread so that no two vprocs share a line at each wait. */
static struct { struct au32 n; } __attribute__((aligned(64))) waiters[SHARDS];

void epoll_begin_wait(struct thread *me)
{
	fetch_add(&waiters[me->id % SHARDS].n, 1);
	sched_wants_listener(me);
}

void epoll_end_wait(struct thread *me)
{
	fetch_sub(&waiters[me->id % SHARDS].n, 1);
}

bool io_has_waiters(void)
{
	for (int i = 0; i < SHARDS; i++)
		if (load_relaxed(&waiters[i].n))	/* a look: sched announces idleness, then asks again */
			return true;
	return false;
}

static int epfd(void)
{
	return (int)load_acquire(&poller.epfd);
}

bool io_is_ours(int fd)
{
	return fd >= 0 && (fd == epfd() || fd == (int)load_acquire(&poller.kickfd) || fd == ring_fd() ||
			   fd == signals_fd());
}

int io_next_ours(int from)
{
	const int ours[] = { epfd(), (int)load_acquire(&poller.kickfd), ring_fd(), signals_fd() };
	int next = -1;

	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (ours[i] >= from && (next < 0 || ours[i] < next))
			next = ours[i];
	return next;
}

int epoll_move_up(int fd)
{
	struct rlimit64 limit = { 0 };

	arch_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	int top = limit.rlim_cur < FD_TOP ? (int)limit.rlim_cur : FD_TOP;

	for (int at = top - FD_STEP; at > fd; at = at / 2 > top - 8 * FD_STEP ? at / 2 : at - FD_STEP) {
		long moved = arch_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, at);

		if (moved >= 0) {
			arch_syscall1(SYS_close, fd);
			return (int)moved;
		}
		if (moved != -EMFILE)
			break;
	}
	return fd;
}

static int watch_own(int ep, int fd, uint64_t data)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u64 = data };

	return (int)arch_syscall4(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, fd, (long)&ev);
}

int epoll_watch_ring(int fd)
{
	return watch_own(epfd(), fd, ring_data);
}

int epoll_watch_signals(int ep, int fd)
{
	return watch_own(ep, fd, signals_data);
}

/* Under the lock: the instance is not replaced meanwhile. */
int epoll_open_signals(void)
{
	lock_take(&poller.lock);
	int err = signals_open(epfd());

	lock_drop(&poller.lock);
	return err;
}

static int open_instance(void)
{
	int ep = (int)arch_syscall1(SYS_epoll_create1, EPOLL_CLOEXEC);

	if (ep < 0)
		return ep;
	int kick = (int)arch_syscall2(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (kick < 0) {
		arch_syscall1(SYS_close, ep);
		return kick;
	}
	kick = epoll_move_up(kick);
	ep = epoll_move_up(ep);
	watch_own(ep, kick, kick_data);
	if (ring_fd() >= 0)
		watch_own(ep, ring_fd(), ring_data);
	if (signals_fd() >= 0)
		signals_open(ep);		/* it was perhaps closed like the instance */
	store_release(&poller.kickfd, (uint32_t)kick);
	store_release(&poller.epfd, (uint32_t)ep);
	return 0;
}

static int add(int fd, struct slot *s)
{
	struct epoll_event ev = {
		.events = wanted,
		.data.u64 = (uint64_t)load_relaxed(&s->gen) << 32 | (uint32_t)fd,
	};
	int err = (int)arch_syscall4(SYS_epoll_ctl, epfd(), EPOLL_CTL_ADD, fd, (long)&ev);

	/* Closed behind our back, and the file lives on under the same number: tell it the new generation. */
	if (err == -EEXIST)
		err = (int)arch_syscall4(SYS_epoll_ctl, epfd(), EPOLL_CTL_MOD, fd, (long)&ev);
	return err;
}

/* What the new instance refuses is nobody's to wait for here: they ask again, and hear that. */
static void add_again(int fd, struct slot *s)
{
	if (!(load_relaxed(&s->flags) & SLOT_REGISTERED) || add(fd, s) == 0)
		return;
	fetch_and(&s->flags, ~(uint32_t)SLOT_REGISTERED);
	slot_wake_all(s);
}

/* `lost` was closed or replaced by the program.  Everything goes to a new instance.  Inside the runtime. */
static bool replace_instance(int lost)
{
	bool ok = true;

	lock_take(&poller.lock);
	if (epfd() == lost) {
		ok = open_instance() == 0;
		if (ok)
			slots_each(add_again);
	}
	lock_drop(&poller.lock);
	return ok;
}

static bool is_open(int fd)
{
	return arch_syscall2(SYS_fcntl, fd, F_GETFD) >= 0;
}

/*
 * An instance that is still ours has its bell in it.  Then what it refuses as not valid is an instance of the program's: one
 * path too many from it to a descriptor that 500 others watch, too.
 */
static bool is_lost(int ep)
{
	struct epoll_event none = { 0 };
	int bell = (int)load_acquire(&poller.kickfd);
	long err = arch_syscall4(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, bell, (long)&none);

	if (!err)			/* the program's own has that number now */
		arch_syscall4(SYS_epoll_ctl, ep, EPOLL_CTL_DEL, bell, (long)&none);
	return err != -EEXIST;
}

/* Outside the runtime or inside. */
static bool replace_lost(int ep)
{
	struct thread *me = thread_self();
	uint32_t was = me->in_rt;

	if (!is_lost(ep))
		return false;
	if (!was)
		rt_enter_as(me);
	bool ok = replace_instance(ep);

	if (!was)
		rt_leave(me);
	return ok;
}

/* The number may be another's by now, who has registered it, and waits: they register again, and hear what they missed. */
static void try_again(struct slot *s)
{
	struct thread *me = thread_self();
	uint32_t was = me->in_rt;

	if (!was)
		rt_enter_as(me);
	slot_wake_all(s);
	if (!was)
		rt_leave(me);
}

/*
 * The words become EMPTY before the kernel is asked: if there is something, epoll reports it at
 * once.  Two threads may do this at once; the second one's MOD reports it again.
 */
int epoll_register(int fd, struct slot *s)
{
	uint32_t gen = load_seq_cst(&s->gen);
	int ep = epfd();

	if (fd_poll_takes(fd)) {
		fetch_or(&s->flags, SLOT_NO_POLL);
		return -EPERM;
	}
	store_seq_cst(&s->word[IO_READ], WORD_EMPTY);
	store_seq_cst(&s->word[IO_WRITE], WORD_EMPTY);
	int err = add(fd, s);

	if ((err == -EBADF && is_open(fd)) || err == -EINVAL) {
		if (!io_is_ours(fd) && replace_lost(ep))
			err = add(fd, s);
	}
	if (!err) {
		uint32_t was = fetch_or(&s->flags, SLOT_REGISTERED);	/* pairs: slot.close */

		if (load_seq_cst(&s->gen) == gen && !(was & (SLOT_CLOSING | SLOT_NO_POLL)))
			return 0;
		fetch_and(&s->flags, ~(uint32_t)SLOT_REGISTERED);
		if (was & SLOT_NO_POLL)
			epoll_unregister(fd);
		err = was & SLOT_NO_POLL ? -EPERM : -EBADF;
	}
	try_again(s);
	if (err == -EPERM || err == -EINVAL || err == -ELOOP)
		fetch_or(&s->flags, SLOT_NO_POLL);
	return err == -EBADF ? -EBADF : -EPERM;
}

void epoll_unregister(int fd)
{
	struct epoll_event none = { 0 };

	arch_syscall4(SYS_epoll_ctl, epfd(), EPOLL_CTL_DEL, fd, (long)&none);
}

/* Ours is in none of the program's: of those the kernel says that, and of another file that it is no instance. */
static bool is_instance(int fd)
{
	struct epoll_event none = { 0 };

	return arch_syscall4(SYS_epoll_ctl, fd, EPOLL_CTL_DEL, epfd(), (long)&none) == -ENOENT;
}

/* It may be in ours and not be marked so: who puts it there, or lets go of it, is just about to say that. */
bool io_let_go_instance(int ep, bool *ret_is_news)
{
	if (!is_instance(ep))
		return false;
	*ret_is_news = io_never_watch(ep);
	epoll_unregister(ep);
	return true;
}

static long wait_events(struct epoll_event *events, uint64_t deadline_ns)
{
	uint64_t now = deadline_ns == NEVER ? 0 : now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec ts = { (time_t)(left / NS_PER_S), (long)(left % NS_PER_S) };

	if (!load_relaxed(&poller.has_no_pwait2)) {
		long n = arch_syscall6(SYS_epoll_pwait2, epfd(), (long)events, BATCH,
				       deadline_ns == NEVER ? 0 : (long)&ts, 0, 8);

		if (n != -ENOSYS && n != -EPERM)
			return n;
		store_relaxed(&poller.has_no_pwait2, 1);
	}
	uint64_t ms = (left + NS_PER_MS - 1) / NS_PER_MS;
	int timeout = deadline_ns == NEVER ? -1 : ms > 1000000 ? 1000000 : (int)ms;

	return arch_syscall6(SYS_epoll_pwait, epfd(), (long)events, BATCH, timeout, 0, 8);
}

/* With thousands of descriptors nothing of theirs is in the cache: the misses may as well overlap. */
static inline void prefetch_slot(const struct epoll_event *events, long n, long at)
{
	enum { NEAR = 2, FAR = 5 };
	struct slot *s;

	if (at + FAR < n)
		__builtin_prefetch(slot_peek((int)(uint32_t)events[at + FAR].data.u64), 1);
	if (at + NEAR < n && (s = slot_peek((int)(uint32_t)events[at + NEAR].data.u64)))
		lot_prefetch_waiter(slot_key(s, IO_READ));
}

static void ring_bell(void)
{
	uint64_t one = 1;

	arch_syscall3(SYS_write, (int)load_acquire(&poller.kickfd), (long)&one, sizeof(one));
}

static int dispatch(const struct epoll_event *events, long n, bool slept)
{
	int woken = 0;

	for (long i = 0; i < n; i++) {
		prefetch_slot(events, n, i);
		uint64_t data = events[i].data.u64;
		struct slot *s = data >= signals_data ? NULL : slot_peek((int)(uint32_t)data);

		if (unlikely(data == kick_data) && !slept && load_seq_cst(&poller.sleeps))
			ring_bell();
		if (unlikely(data == ring_data))
			woken += ring_reap();
		if (unlikely(data == signals_data))
			woken += signals_edge();
		if (s && load_acquire(&s->gen) == (uint32_t)(data >> 32))
			woken += slot_event(s, events[i].events);
	}
	return woken;
}

static int poll_events(uint64_t deadline_ns)
{
	struct epoll_event events[BATCH];
	int ep = epfd();
	bool sleeps = deadline_ns != 0;

	if (sleeps) {
		store_seq_cst(&poller.sleeps, 1);		/* pairs: poll.kick */
		if (xchg_seq_cst(&poller.kicked, 0))
			deadline_ns = 0;
	}
	long n = deadline_ns ? wait_events(events, deadline_ns) :
		arch_syscall6(SYS_epoll_pwait, ep, (long)events, BATCH, 0, 0, 8);

	if (sleeps) {
		store_relaxed(&poller.sleeps, 0);
		store_relaxed(&poller.kicked, 0);
	}
	if (unlikely(n == -EBADF || n == -EINVAL)) {
		if (!replace_instance(ep))
			panic("no descriptor left for the poller");
		return 0;
	}
	return n > 0 ? dispatch(events, n, sleeps) : 0;
}

static void kick(void)
{
	store_seq_cst(&poller.kicked, 1);			/* pairs: poll.kick */
	if (load_seq_cst(&poller.sleeps))
		ring_bell();
}

/* Where that cannot be asked the answer is yes. */
static bool is_ready(uint64_t ns)
{
	struct pollfd instance = { .fd = epfd(), .events = POLLIN };
	struct timespec within = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	return arch_syscall6(SYS_ppoll, (long)&instance, 1, (long)&within, 0, 8, 0) != 0;
}

/* Where a filter lets us make an instance but not ask it. */
static int can_look(void)
{
	struct epoll_event event;
	long n = arch_syscall6(SYS_epoll_pwait, epfd(), (long)&event, 1, 0, 0, 8);

	return n == -EPERM || n == -EACCES || n == -ENOSYS ? (int)n : 0;
}

int io_start(void)
{
	int err = epfd() >= 0 ? 0 : open_instance();

	if (!err)
		err = can_look();
	if (err)
		return err;
	sched_hooks.io_poll = poll_events;
	sched_hooks.io_kick = kick;
	sched_hooks.io_has_waiters = io_has_waiters;
	sched_hooks.io_is_ready = is_ready;
	return 0;
}

/* Until the child's own threads start it keeps no book of what is closed: so it remembers nothing, but what does no harm. */
static void reset_slot(int fd, struct slot *s)
{
	(void)fd;
	if (load_relaxed(&s->flags) & ~SLOT_NO_POLL)
		fetch_and(&s->flags, SLOT_NO_POLL);
	zero_in_child(s->word, offsetof(struct slot, pipe) - offsetof(struct slot, word));
	zero_in_child(&s->bucket, offsetof(struct slot, timeout_ns) - offsetof(struct slot, bucket));
}

/* The instance is the parent's: the child's copies of our descriptors go. */
void io_fork_child(bool shares_files)
{
	ring_fork_child(shares_files);
	signals_fork_child(shares_files);
	slots_each(reset_slot);
	if (epfd() < 0)
		return;
	if (!shares_files) {
		arch_syscall1(SYS_close, epfd());
		arch_syscall1(SYS_close, (int)load_relaxed(&poller.kickfd));
	}
	memset(&poller, 0, sizeof(poller));
	store_relaxed(&poller.epfd, -1u);
	store_relaxed(&poller.kickfd, -1u);
	zero_in_child(waiters, sizeof(waiters));
}

// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/epoll.h>

#include "../base/clock.h"
#include "../sys/sys.h"
#include "slot.h"

int wait_error(enum wait_result r)
{
	switch (r) {
	case WAIT_TIMEOUT:
		return -ETIMEDOUT;
	case WAIT_SIGNAL:
		return -EINTR;
	case WAIT_CANCEL:
		return -ECANCELED;
	default:
		return 0;
	}
}

static bool is_registered(struct slot *s)
{
	return load_acquire(&s->flags) & SLOT_REGISTERED;
}

/* Not for ever: whoever closes it may have jumped away out of a handler. */
static void wait_for_close(struct slot *s)
{
	enum { SHORT = 100 };
	uint64_t end = now_ns() + 100 * NS_PER_MS;

	for (int i = 0; load_seq_cst(&s->flags) & SLOT_CLOSING; i++) {
		if (i > SHORT && now_ns() > end)
			fetch_and(&s->flags, ~(uint32_t)SLOT_CLOSING);
		if (i > SHORT)
			arch_syscall0(SYS_sched_yield);
		sched_yield_now();
	}
}

static int ready_slot(int fd, struct slot **ret_slot)
{
	struct slot *s = slot_get(fd);

	if (s && unlikely(load_relaxed(&s->flags) & SLOT_CLOSING))
		wait_for_close(s);
	if (!s || (load_relaxed(&s->flags) & SLOT_NO_POLL))
		return -EPERM;
	*ret_slot = s;
	return is_registered(s) ? 0 : epoll_register(fd, s);
}

/*
 * A handler that runs on the way out may jump away with the token: then it is given on first, and
 * the caller's try, if there is one, does without.
 */
static void keep_token_safe(struct thread *me, struct slot *s, enum io_dir dir)
{
	if (unlikely(load_relaxed(&me->pending) & PEND_SIGNAL))
		slot_post(s, dir);
}

static int park_on(struct slot *s, enum io_dir dir, uint32_t gen, uint64_t deadline_ns)
{
	struct thread *me = rt_enter();

	epoll_begin_wait(me);
	struct bucket *b = lot_begin(me, slot_key(s, dir), WAIT_IO, LOT_INTERRUPTIBLE);
	bool is_stale = load_seq_cst(&s->gen) != gen;

	if (is_stale || load_relaxed(&s->word[dir]) == WORD_TRY) {
		if (!is_stale)
			store_relaxed(&s->word[dir], WORD_EMPTY);	/* pairs: slot.word */
		lot_abort(me, b);
		epoll_end_wait(me);
		rt_leave(me);
		return is_stale ? -EBADF : 0;
	}
	lot_queue(me, b);
	enum wait_result r = lot_sleep(me, deadline_ns);

	epoll_end_wait(me);
	is_stale = load_seq_cst(&s->gen) != gen;
	if (r == WAIT_WOKEN && !is_stale)
		keep_token_safe(me, s, dir);
	rt_leave(me);
	return is_stale ? -EBADF : wait_error(r);
}

int io_wait(int fd, enum io_dir dir, uint64_t deadline_ns)
{
	struct slot *s;
	uint32_t gen;

	if (unlikely(self_ptr->kind != THREAD_USER))
		return -EPERM;
	s = slot_peek(fd);
	gen = s ? load_seq_cst(&s->gen) : 0;
	if (!s || !is_registered(s)) {
		int err = ready_slot(fd, &s);

		if (err)
			return err;
	}
	return park_on(s, dir, gen, deadline_ns);
}

enum io_taken io_take(int fd, enum io_dir dir)
{
	struct slot *s = slot_peek(fd);

	if (!s || !is_registered(s))
		return IO_UNWATCHED;
	if (load_relaxed(&s->word[dir]) == WORD_EMPTY)	/* whatever it was, an event comes after */
		return load_relaxed(&s->flags) & SLOT_STICKY ? IO_UNWATCHED : IO_EMPTY;
	xchg_seq_cst(&s->word[dir], WORD_EMPTY);	/* pairs: slot.word */
	return IO_TOKEN;
}

void io_put(int fd, enum io_dir dir)
{
	struct slot *s = slot_peek(fd);

	/* TRY already: then nobody is parked on it. */
	if (!s || !is_registered(s) || load_seq_cst(&s->word[dir]) == WORD_TRY)
		return;
	struct thread *me = rt_enter();

	slot_post(s, dir);
	rt_leave(me);
}

bool io_give_turn(struct thread *me, int fd)
{
	struct slot *s = slot_peek(fd);

	if (!s || !load_relaxed(&s->pipe) || sched_vprocs() > 1)
		return false;
	uint32_t left = load_relaxed(&s->turns_left);

	if (!left)
		return true;
	if (sched_has_short_company(me)) {
		store_relaxed(&s->turns_left, left - 1);
		sched_yield_now();
	}
	return false;
}

void io_note_try(int fd, bool was_vain)
{
	enum { MOST = 32 };
	struct slot *s = slot_get(fd);

	if (unlikely(!s))
		return;
	uint32_t turns = !was_vain ? 0 : 2 * load_relaxed(&s->turns) + 1;

	turns = turns < MOST ? turns : MOST;
	store_relaxed(&s->turns, turns);
	store_relaxed(&s->turns_left, turns);
}

void io_tell_reader(int fd)
{
	struct slot *s = slot_peek(fd);
	uint32_t reader = s ? load_relaxed(&s->reader) : 0;
	struct slot *r = reader ? slot_peek((int)reader - 1) : NULL;

	if (!r || load_relaxed(&r->pipe) != load_relaxed(&s->pipe) || sched_vprocs() > 1)
		return;
	if (!lot_seems_waited_for(&r->bucket) && !load_relaxed(&r->npolls))
		return;
	struct thread *me = rt_enter();

	slot_event(r, EPOLLIN);
	rt_leave(me);
}

/* Linked first and asked then, so that an event between the two is seen by one of them. */
static int look_and_park(struct thread *me, struct pollfd *fds, struct many_node *nodes, int n,
			 uint64_t deadline_ns)
{
	struct many many = { .t = me };
	struct timespec zero = { 0 };
	int err = 0;
	long ready;

	for (int i = 0; i < n; i++)
		if (nodes[i].slot)
			slot_link(&nodes[i], &many);
	epoll_begin_wait(me);
	do {
		ready = arch_syscall6(SYS_ppoll, (long)fds, n, (long)&zero, 0, 8, 0);
	} while (ready == -EINTR);		/* a signal of ours */
	if (ready) {
		err = ready > 0 ? -EAGAIN : 0;
	} else {
		struct bucket *b = lot_begin(me, many_key(me), WAIT_IO, LOT_INTERRUPTIBLE);

		if (load_seq_cst(&many.fired)) {
			lot_abort(me, b);
		} else {
			me->wait_arg = (uintptr_t)fds | (uint64_t)n << WAIT_MANY_SHIFT;	/* for `upcall ps` */
			lot_queue(me, b);
			err = wait_error(lot_sleep(me, deadline_ns));
		}
	}
	epoll_end_wait(me);
	for (int i = 0; i < n; i++)
		if (nodes[i].slot)
			slot_unlink(&nodes[i]);
	return err;
}

/* A quarter of what is left of the stack, which may be one that the program switched to by itself. */
int io_poll_max(const struct thread *me)
{
	enum { ALWAYS = 64, MOST = 1024 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = (uintptr_t)thread_stack_low(me);

	if (me->user_stack)
		low = (uintptr_t)me->user_stack;
	if (!low || here <= low || here - low > (me->user_stack ? me->user_stack_bytes : me->stack_bytes))
		return ALWAYS;
	size_t n = (here - low) / 4 / (sizeof(struct many_node) + 2 * sizeof(struct pollfd));

	return n < ALWAYS ? ALWAYS : n > MOST ? MOST : (int)n;
}

/* Which events make a new look worth while: ends are reported unasked, and bands come with what we watch for. */
static uint32_t events_for(short asked)
{
	uint32_t events = (uint32_t)asked | POLLHUP | POLLERR;

	if (asked & (POLLRDNORM | POLLRDBAND))
		events |= POLLIN;
	if (asked & POLLRDBAND)
		events |= POLLPRI;
	if (asked & (POLLWRNORM | POLLWRBAND))
		events |= POLLOUT;
	return events;
}

int io_wait_many(struct pollfd *fds, int n, uint64_t deadline_ns)
{
	struct many_node nodes[n + 1];

	if (unlikely(self_ptr->kind != THREAD_USER))
		return -EPERM;
	if (n == 0) {			/* a sleep: the poller has no part in it */
		int err = io_sleep(deadline_ns);

		return err ? err : -ETIMEDOUT;
	}
	for (int i = 0; i < n; i++) {
		nodes[i].events = events_for(fds[i].events);
		nodes[i].slot = NULL;
		if (fds[i].fd < 0)
			continue;
		int err = ready_slot(fds[i].fd, &nodes[i].slot);

		if (err)	/* gone, or not to be watched */
			return err == -EBADF ? 0 : -EPERM;
	}
	struct thread *me = rt_enter();
	int err = look_and_park(me, fds, nodes, n, deadline_ns);

	rt_leave(me);
	return err;
}

int io_sleep(uint64_t deadline_ns)
{
	enum wait_result r;
	struct thread *me;

	do {
		me = rt_enter();
		lot_queue(me, lot_begin(me, &me->posix[11], WAIT_SLEEP, LOT_INTERRUPTIBLE));
		r = lot_sleep(me, deadline_ns);
		rt_leave(me);
	} while (r == WAIT_WOKEN || r == WAIT_AGAIN);
	return r == WAIT_TIMEOUT ? 0 : wait_error(r);
}

uint32_t io_known(int fd)
{
	struct slot *s = slot_peek(fd);

	return s ? load_acquire(&s->flags) : 0;
}

/* Before threads have started nobody keeps book of what is closed, so nothing is remembered. */
static void flag(int fd, uint32_t set, uint32_t clear)
{
	struct slot *s = sched_is_started ? slot_get(fd) : NULL;

	if (!s)
		return;
	uint32_t was = load_relaxed(&s->flags);

	while ((was | set) != was || (was & clear))
		if (cas_seq_cst(&s->flags, &was, (was & ~clear) | set))
			break;
}

void io_set_type(int fd, enum io_type type)
{
	uint32_t bits = (uint32_t)type << IO_KNOWN_TYPE_SHIFT;

	flag(fd, bits, ~bits & IO_KNOWN_TYPE_MASK);
}

void io_note(int fd, uint32_t set, uint32_t clear)
{
	flag(fd, set << IO_KNOWN_NOTES_SHIFT, clear << IO_KNOWN_NOTES_SHIFT);
}

static struct au32 mode_epochs[2] = { { 1 }, { 1 } };		/* of those that block, and of those that do not */

bool io_is_blocking(int fd)
{
	struct slot *s = slot_peek(fd);

	return s && load_relaxed(&s->mode_epoch) == load_seq_cst(&mode_epochs[false]);
}

bool io_mode_stands(int fd)
{
	struct slot *s = slot_peek(fd);

	return s && load_relaxed(&s->nonblock_epoch) == load_seq_cst(&mode_epochs[true]);
}

uint32_t io_mode_epoch(bool is_nonblocking)
{
	return load_seq_cst(&mode_epochs[is_nonblocking]);
}

void io_note_mode(int fd, bool is_nonblocking, uint32_t epoch)
{
	struct slot *s = sched_is_started ? slot_get(fd) : NULL;

	if (!s)
		return;
	store_relaxed(is_nonblocking ? &s->nonblock_epoch : &s->mode_epoch, epoch);
	io_note(fd, is_nonblocking ? IO_NONBLOCK : 0, is_nonblocking ? 0 : IO_NONBLOCK);
}

void io_mode_changed(bool is_nonblocking)
{
	fetch_add(&mode_epochs[!is_nonblocking], 1);
}

uint64_t io_timeout(int fd, enum io_dir dir)
{
	struct slot *s = slot_peek(fd);

	return s ? load_relaxed(&s->timeout_ns[dir]) : NEVER;
}

static uint32_t knows(enum io_dir dir)
{
	return dir == IO_READ ? IO_KNOWS_RCVTIMEO : IO_KNOWS_SNDTIMEO;
}

bool io_waits_plainly(int fd, enum io_dir dir)
{
	struct slot *s = slot_peek(fd);

	return s && load_relaxed(&s->mode_epoch) == load_seq_cst(&mode_epochs[false]) &&
	       (io_notes_in(load_acquire(&s->flags)) & knows(dir)) && load_relaxed(&s->timeout_ns[dir]) == NEVER;
}

static struct au32 timeout_epoch;

uint32_t io_timeout_epoch(void)
{
	return load_seq_cst(&timeout_epoch);
}

/* Who changes it counts up and then clears the note: one of the two sees the other. */
void io_set_timeout(int fd, enum io_dir dir, uint64_t timeout_ns, uint32_t epoch)
{
	struct slot *s = slot_get(fd);

	if (!s)
		return;
	store_relaxed(&s->timeout_ns[dir], timeout_ns);
	io_note(fd, knows(dir), 0);
	if (load_seq_cst(&timeout_epoch) != epoch)
		io_note(fd, 0, knows(dir));
}

void io_timeout_changed(int fd, enum io_dir dir)
{
	fetch_add(&timeout_epoch, 1);
	io_note(fd, 0, knows(dir));
}

static void unwatch(int fd, struct slot *s)
{
	epoll_unregister(fd);
	struct thread *me = rt_enter();

	slot_wake_all(s);
	rt_leave(me);
}

static void forget(int fd, struct slot *s, uint32_t flags)
{
	fetch_add(&s->gen, 1);
	store_relaxed(&s->mode_epoch, 0);
	store_relaxed(&s->pipe, 0);
	store_relaxed(&s->reader, 0);
	if (xchg_seq_cst(&s->flags, flags) & SLOT_REGISTERED)		/* pairs: slot.close */
		unwatch(fd, s);
	turns_forget(s);
}

void io_forget(int fd)
{
	struct slot *s = slot_peek(fd);

	if (s && (load_acquire(&s->flags) || !turns_are_free(s)))
		forget(fd, s, 0);
}

void io_close_begin(int fd)
{
	struct slot *s = slot_peek(fd) ? slot_get(fd) : NULL;

	if (s)
		forget(fd, s, SLOT_CLOSING);
}

void io_close_end(int fd)
{
	struct slot *s = slot_peek(fd);

	if (!s)
		return;
	uint32_t was = load_relaxed(&s->flags);

	/* What has been learnt since it began is of the old file, perhaps. */
	while ((was & SLOT_CLOSING) && !cas_seq_cst(&s->flags, &was, 0))
		;
	if (was & SLOT_CLOSING)
		store_relaxed(&s->mode_epoch, 0);
}

/* Known before threads have started, too: it says more of what is in an epoll instance than can be found out later. */
bool io_never_watch(int fd)
{
	struct slot *s = slot_get(fd);

	if (!s)
		return false;
	uint32_t was = fetch_or(&s->flags, SLOT_NO_POLL);		/* pairs: slot.close */

	if (fetch_and(&s->flags, ~(uint32_t)SLOT_REGISTERED) & SLOT_REGISTERED)
		unwatch(fd, s);
	return !(was & SLOT_NO_POLL);
}

void io_watch_again(int fd)
{
	struct slot *s = slot_peek(fd);

	if (s)
		fetch_and(&s->flags, ~(uint32_t)SLOT_NO_POLL);
}

bool io_is_never_watched(int fd)
{
	struct slot *s = slot_peek(fd);

	return s && (load_relaxed(&s->flags) & SLOT_NO_POLL);
}

void io_forget_range(unsigned from, unsigned to)
{
	unsigned last = SLOT_PAGES * SLOTS_PER_PAGE - 1;

	for (unsigned fd = from; fd <= to && fd <= last; fd++) {
		if (slot_peek((int)fd))
			io_forget((int)fd);
		else
			fd |= SLOTS_PER_PAGE - 1;
	}
}

void io_fresh(int fd, enum io_type type)
{
	struct slot *s = slot_peek(fd);

	if (s && load_acquire(&s->flags))
		io_forget(fd);
	if (type != IO_UNKNOWN)
		io_set_type(fd, type);
}

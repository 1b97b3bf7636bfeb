// SPDX-License-Identifier: BSD-2-Clause
/*
 * poll, select, epoll_wait.  The kernel is asked with no timeout, and if there is nothing the
 * thread parks until the runtime's own poller has seen an event on one of the descriptors; then the
 * kernel is asked again, for the exact answer.
 *
 * More descriptors than the stack has room for block in the kernel.
 */
#include "block.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>

#include "../sys/numbers.h"
#include "alias.h"
#include "signal.h"

/* What one direction tells of; and of that, what a read or a write takes: that it is missing proves emptiness. */
enum {
	READ_EVENTS = POLLIN | POLLRDNORM | POLLPRI | POLLRDHUP | POLLRDBAND,
	READ_TAKES = POLLIN | POLLRDNORM,
	WRITE_EVENTS = POLLOUT | POLLWRNORM | POLLWRBAND,
	WRITE_TAKES = POLLOUT | POLLWRNORM,
};

/* A mask that is the thread's own anyway changes nothing, and needs no kernel thread. */
static bool changes_mask(struct thread *me, const sigset_t *mask)
{
	return mask && (mask_of(mask) & ~SIG_NEVER) != posix_mask(me);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static uint64_t left_ns(uint64_t deadline_ns)
{
	uint64_t now = now_ns();

	return deadline_ns > now ? deadline_ns - now : 0;
}

/* After so much of the program's time. */
static uint64_t deadline_after(uint64_t ns)
{
	return ns_after(now_ns(), clock_wait_ns(CLOCK_REALTIME, ns));
}

/* Of no descriptors there is nothing to ask: the call is a sleep. */
static long poll_now(struct thread *me, struct pollfd *fds, nfds_t n)
{
	struct timespec zero = { 0 };

	if (n == 0)
		return 0;
	return LOOK(me, arch_syscall6(SYS_ppoll, (long)fds, (long)n, (long)&zero, 0, 8, 0));
}

static bool is_interrupted(int r)
{
	return r < 0 && errno == EINTR;
}

/* A signal of ours may have ended the wait, before a handler ran and after that something came. */
static long look_once_more(long ready)
{
	return answer(ready ? ready : -EINTR);
}

/* In the kernel; our own signals do not show. */
static int poll_native(struct thread *me, struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	uint64_t before = handlers_run(me);
	int r;

	do {
		struct timespec ts = timespec_of(deadline_ns == NEVER ? 0 : left_ns(deadline_ns));

		r = BLOCK(me, TIMED(ppoll)(fds, n, deadline_ns == NEVER ? NULL : &ts, NULL));
	} while (is_interrupted(r) && handlers_run(me) == before);
	return is_interrupted(r) ? (int)look_once_more(poll_now(me, fds, n)) : r;
}

struct poll_call {
	struct pollfd *fds, *copy;
	nfds_t n;
	uint64_t deadline_ns;
	struct thread *me;
};

static int poll_masked(const sigset_t *mask, void *arg)
{
	struct poll_call *c = arg;
	struct timespec ts = timespec_of(c->deadline_ns == NEVER ? 0 : left_ns(c->deadline_ns));

	return TIMED(ppoll)(c->fds, c->n, c->deadline_ns == NEVER ? NULL : &ts, mask);
}

static long poll_look(void *arg)
{
	struct poll_call *c = arg;

	return poll_now(c->me, c->fds, c->n);
}

static int poll_park(void *arg)
{
	struct poll_call *c = arg;

	memcpy(c->copy, c->fds, c->n * sizeof(*c->fds));
	return io_wait_many(c->copy, (int)c->n, c->deadline_ns);
}

/* With the mask that was: a handler that runs now came before the call, and does not end it. */
static long first_look(const struct parked_call *call)
{
	long r;

	do {
		r = call->look(call->arg);
	} while (r == -EINTR);
	return r;
}

/* With another mask meanwhile. */
static int poll_with(struct poll_call *c, uint64_t mask)
{
	const struct parked_call call = { poll_look, poll_park, c };
	long r = first_look(&call);

	if (r == 0 && c->n <= (nfds_t)io_poll_max(c->me) && !may_block_for_any(c->me)) {
		struct pollfd copy[c->n + 1];

		c->copy = copy;
		r = signal_masked_park(c->me, mask, &call);
		if (r != -EPERM)
			return (int)answer(r);
		r = 0;
	}
	return r ? (int)answer(r) : signal_masked_call(c->me, mask, poll_masked, c);
}

/* What io_wait_many left us with.  True: ask the kernel again. */
static bool goes_on(struct op *op, int err)
{
	op->err = 0;
	switch (err) {
	case 0:
	case -EAGAIN:
		return true;
	case -ECANCELED:
		test_cancel();
		return true;
	case -EINTR:
		if (handlers_run(op->me) == op->handlers)
			return true;
		op->err = EINTR;
		return false;
	default:
		op->err = -err;
		return false;
	}
}

/* What is there comes before a signal and before the end of the time. */
static long last_look(const struct op *op, long ready)
{
	return ready || op->err == ETIMEDOUT ? ready : -op->err;
}

static int take_revents(struct pollfd *fds, const struct pollfd *from, nfds_t n)
{
	int nready = 0;

	for (nfds_t i = 0; i < n; i++) {
		fds[i].revents = from[i].revents;
		nready += fds[i].revents != 0;
	}
	return nready;
}

static int poll_many(struct thread *me, struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	enum { FEW = 4 };	/* io_wait_many has a look of its own: not two, where getting there is cheap */
	struct op op = op_init(me, -1, IO_READ);

	if (may_block_for_any(me))
		return poll_native(me, fds, n, deadline_ns);
	long r = n <= FEW ? 0 : poll_now(me, fds, n);

	if (r != 0)
		return (int)answer(r);
	if (n > (nfds_t)io_poll_max(me) || may_block_for_any(me))
		return poll_native(me, fds, n, deadline_ns);
	struct pollfd copy[n + 1];

	do {
		memcpy(copy, fds, n * sizeof(*fds));
		int err = io_wait_many(copy, (int)n, deadline_ns);

		if (err == -EAGAIN)
			return take_revents(fds, copy, n);
		if (!goes_on(&op, err)) {
			if (op.err == EPERM)
				return poll_native(me, fds, n, deadline_ns);
			return (int)answer(last_look(&op, poll_now(me, fds, n)));
		}
		r = poll_now(me, fds, n);
	} while (r == 0);
	return (int)answer(r);
}

/* One descriptor, one direction: as a read, but for taking nothing.  Asks at least for what a token stands for. */
static int poll_one(struct thread *me, struct pollfd *p, enum io_dir dir, uint64_t deadline_ns)
{
	struct op op = op_init(me, p->fd, dir);

	op.has_timeout = true;
	if (op_take(&op))
		goto look;
	for (;;) {
		if (!op.gives_up && may_block(me))
			return poll_native(me, p, 1, deadline_ns);
		switch (op_wait_until(&op, deadline_ns)) {
		case OP_NATIVE:
			return poll_native(me, p, 1, deadline_ns);
		case OP_FAIL:
			if (!op.gives_up)		/* being closed: that is no event, and no timeout */
				return poll_many(me, p, 1, deadline_ns);
			return (int)answer(op.err == EAGAIN ? 0 : -op.err);
		case OP_TRY:
			break;
		}
	look:;
		long r = poll_now(me, p, 1);	/* an event may be older than what was read meanwhile */

		if (r != 0) {
			op_done(&op, r, 0);
			return (int)answer(r);
		}
	}
}

static int poll_until(struct thread *me, struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	test_cancel();
	if (me->kind != THREAD_USER)
		return poll_native(me, fds, n, deadline_ns);
	if (n == 1 && fds->fd >= 0 && (fds->events & READ_TAKES) && !(fds->events & ~READ_EVENTS))
		return poll_one(me, fds, IO_READ, deadline_ns);
	if (n == 1 && fds->fd >= 0 && (fds->events & WRITE_TAKES) && !(fds->events & ~WRITE_EVENTS))
		return poll_one(me, fds, IO_WRITE, deadline_ns);
	return poll_many(me, fds, n, deadline_ns);
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct thread *me = io_waiter();

	if (!me)
		return REAL(poll)(fds, n, timeout_ms);
	if (!timeout_ms) {
		test_cancel();
		return (int)answer(poll_now(me, fds, n));
	}
	return poll_until(me, fds, n, timeout_ms < 0 ? NEVER :
			  deadline_after((uint64_t)timeout_ms * NS_PER_MS));
}

static bool is_valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)NS_PER_S;
}

/* Who does not want to wait gets the kernel's answer, and nothing is watched for him. */
static bool is_zero(const struct timespec *timeout)
{
	return timeout && !timeout->tv_sec && !timeout->tv_nsec;
}

static uint64_t deadline_of(const struct timespec *timeout)
{
	return timeout ? deadline_after(ns_from_timespec(timeout)) : NEVER;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct thread *me = io_waiter();

	if (!me || (timeout && !is_valid(timeout)))
		return REAL(ppoll)(fds, n, timeout, mask);
	if (changes_mask(me, mask)) {
		struct poll_call c = { .fds = fds, .n = n, .deadline_ns = deadline_of(timeout), .me = me };

		if (me->kind != THREAD_USER)
			return signal_bound_call(me, mask, poll_masked, &c);
		test_cancel();
		return poll_with(&c, mask_of(mask));
	}
	if (is_zero(timeout)) {
		test_cancel();
		return (int)answer(poll_now(me, fds, n));
	}
	return poll_until(me, fds, n, deadline_of(timeout));
}

/* The three sets of a select, and a copy of what was asked. */
struct sets {
	int n;
	size_t bytes;
	uint64_t deadline_ns;
	fd_set *set[3];
	fd_set asked[3];
	/* For a wait with another mask: */
	struct thread *me;
	struct pollfd *fds;
	int nfds;
	bool was_ready;		/* poll said so */
};

static void sets_init(struct sets *s, int n, fd_set *r, fd_set *w, fd_set *e, uint64_t deadline_ns)
{
	s->n = n;
	s->was_ready = false;
	s->deadline_ns = deadline_ns;
	s->bytes = ((size_t)n + NFDBITS - 1) / NFDBITS * sizeof(fd_mask);
	s->set[0] = r;
	s->set[1] = w;
	s->set[2] = e;
	for (int i = 0; i < 3; i++)
		if (s->set[i])
			memcpy(&s->asked[i], s->set[i], s->bytes);
}

static void sets_restore(struct sets *s)
{
	for (int i = 0; i < 3; i++)
		if (s->set[i])
			memcpy(s->set[i], &s->asked[i], s->bytes);
}

static long select_now(struct thread *me, struct sets *s)
{
	struct timespec zero = { 0 };

	if (!s->set[0] && !s->set[1] && !s->set[2])
		return 0;
	sets_restore(s);
	return LOOK(me, arch_syscall6(SYS_pselect6, s->n, (long)s->set[0], (long)s->set[1],
				      (long)s->set[2], (long)&zero, 0));
}

/* How many descriptors, max + 1 for too many. */
static int sets_to_poll(const struct sets *s, struct pollfd *ret_fds, int max)
{
	static const short events[3] = { POLLIN, POLLOUT, POLLPRI };
	int count = 0;

	for (int fd = 0; fd < s->n; fd++) {
		short wanted = 0;

		for (int i = 0; i < 3; i++)
			if (s->set[i] && FD_ISSET(fd, &s->asked[i]))
				wanted |= events[i];
		if (!wanted)
			continue;
		if (count == max)
			return max + 1;
		ret_fds[count++] = (struct pollfd){ .fd = fd, .events = wanted };
	}
	return count;
}

static int select_masked(const sigset_t *mask, void *arg)
{
	struct sets *s = arg;
	struct timespec ts = timespec_of(s->deadline_ns == NEVER ? 0 : left_ns(s->deadline_ns));

	sets_restore(s);
	return TIMED(pselect)(s->n, s->set[0], s->set[1], s->set[2],
			     s->deadline_ns == NEVER ? NULL : &ts, mask);
}

static int select_native(struct thread *me, struct sets *s)
{
	uint64_t before = handlers_run(me);
	int r;

	do {
		r = BLOCK(me, select_masked(NULL, s));
	} while (is_interrupted(r) && handlers_run(me) == before);
	if (is_interrupted(r))
		r = (int)look_once_more(select_now(me, s));
	if (is_interrupted(r))
		sets_restore(s);
	return r;
}

static long select_look(void *arg)
{
	struct sets *s = arg;

	return select_now(s->me, s);
}

static int select_park(void *arg)
{
	struct sets *s = arg;

	if (s->was_ready)	/* poll reports ends that this select does not ask for */
		return -EPERM;
	int err = io_wait_many(s->fds, s->nfds, s->deadline_ns);

	s->was_ready = err == -EAGAIN;
	return err;
}

/* With another mask meanwhile. */
static int select_with(struct thread *me, struct sets *s, uint64_t mask)
{
	const struct parked_call call = { select_look, select_park, s };
	int max = io_poll_max(me);
	struct pollfd fds[max];

	s->me = me;
	s->fds = fds;
	s->nfds = sets_to_poll(s, fds, max);
	long r = first_look(&call);

	if (r == 0 && s->nfds <= max && !may_block_for_any(me)) {
		r = signal_masked_park(me, mask, &call);
		if (r == -EINTR)
			sets_restore(s);
		if (r != -EPERM)
			return (int)answer(r);
		r = 0;
	}
	return r ? (int)answer(r) : signal_masked_call(me, mask, select_masked, s);
}

static int select_until(struct thread *me, struct sets *s)
{
	if (me->kind != THREAD_USER)
		return select_native(me, s);
	struct op op = op_init(me, -1, IO_READ);
	int max = io_poll_max(me), err;
	struct pollfd fds[max];
	int n = sets_to_poll(s, fds, max);
	long r = select_now(me, s);

	if (r != 0)
		return (int)answer(r);
	if (n > max || may_block_for_any(me))
		return select_native(me, s);
	do {
		err = io_wait_many(fds, n, s->deadline_ns);
		if (!goes_on(&op, err)) {
			if (op.err == EPERM)
				return select_native(me, s);
			r = last_look(&op, select_now(me, s));
			if (r == -EINTR)
				sets_restore(s);
			return (int)answer(r);
		}
		r = select_now(me, s);
		/* poll reports ends that this select does not ask for. */
		if (r == 0 && err == -EAGAIN)
			return select_native(me, s);
	} while (r == 0);
	return (int)answer(r);
}

static uint64_t ns_of_timeval(const struct timeval *t)
{
	uint64_t us = (uint64_t)t->tv_usec;

	return ns_after(ns_from_timespec(&(struct timespec){ t->tv_sec, 0 }), us < NEVER / NS_PER_US ? us * NS_PER_US : NEVER);
}

EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *timeout)
{
	struct thread *me = io_waiter();
	struct sets s;

	if (!me || n < 0 || n > FD_SETSIZE || (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
		return REAL(select)(n, r, w, e, timeout);
	test_cancel();
	uint64_t ns = timeout ? ns_of_timeval(timeout) : 0;
	uint64_t deadline = timeout ? deadline_after(ns) : NEVER;

	sets_init(&s, n, r, w, e, deadline);
	if (timeout && !ns)
		return (int)answer(select_now(me, &s));
	int ready = select_until(me, &s);

	if (timeout) {
		ns = clock_passes_ns(CLOCK_REALTIME, left_ns(deadline));
		*timeout = (struct timeval){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S / NS_PER_US) };
	}
	return ready;
}

EXPORT int pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *timeout,
		   const sigset_t *mask)
{
	struct thread *me = io_waiter();
	struct sets s;

	if (!me || n < 0 || n > FD_SETSIZE || (timeout && !is_valid(timeout)))
		return REAL(pselect)(n, r, w, e, timeout, mask);
	test_cancel();
	sets_init(&s, n, r, w, e, deadline_of(timeout));
	if (changes_mask(me, mask))
		return me->kind == THREAD_USER ? select_with(me, &s, mask_of(mask)) :
						 signal_bound_call(me, mask, select_masked, &s);
	return is_zero(timeout) ? (int)answer(select_now(me, &s)) : select_until(me, &s);
}

/*
 * The program's epoll instance is itself watched by ours while somebody waits in it.  It is asked
 * before each wait, whatever is remembered of it: events that stay (level-triggered) bring no edge.
 */
struct epoll_call {
	int ep, max;
	struct epoll_event *events;
	uint64_t deadline_ns;
	bool is_fine;			/* its limit is of nanoseconds: epoll_pwait2 */
	struct op *op;			/* for a wait with another mask */
};

/* Our looking into the instance would take the events of such a file in it, of another such instance also. */
EXPORT int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
	int err = REAL(epoll_ctl)(ep, op, fd, event);
	bool is_news = false;

	if (err && op == EPOLL_CTL_ADD && (errno == EINVAL || errno == ELOOP) && io_let_go_instance(ep, &is_news)) {
		err = REAL(epoll_ctl)(ep, op, fd, event);
		if (err && is_news)	/* it was not ours that was in the way */
			io_watch_again(ep);
	}
	if (!err && op == EPOLL_CTL_ADD && (io_is_never_watched(fd) || fd_poll_takes(fd)))
		io_never_watch(ep);
	return err;
}

/* Where libc lacks it, only syscall(2) gets here. */
static int epoll_pwait2_by_number(int ep, struct epoll_event *events, int max, const struct timespec *timeout,
				  const sigset_t *mask)
{
	return (int)answer(arch_syscall6(SYS_epoll_pwait2, ep, (long)events, max, (long)timeout, (long)mask, 8));
}

static int epoll_masked(const sigset_t *mask, void *arg)
{
	struct epoll_call *c = arg;
	uint64_t ms = c->deadline_ns == NEVER ? 0 : (left_ns(c->deadline_ns) + NS_PER_MS - 1) / NS_PER_MS;
	int timeout = c->deadline_ns == NEVER ? -1 : ms > INT32_MAX ? INT32_MAX : (int)ms;

	if (c->is_fine && c->deadline_ns != NEVER) {
		struct timespec left = timespec_of(left_ns(c->deadline_ns));

		return TIMED_OR(epoll_pwait2, epoll_pwait2_by_number)(c->ep, c->events, c->max, &left, mask);
	}
	return TIMED(epoll_pwait)(c->ep, c->events, c->max, timeout, mask);
}

static long epoll_now(struct thread *me, struct epoll_call *c)
{
	return LOOK(me, arch_syscall6(SYS_epoll_pwait, c->ep, (long)c->events, c->max, 0, 0, 8));
}

static int epoll_native(struct thread *me, struct epoll_call *c)
{
	uint64_t before = handlers_run(me);
	int r;

	do {
		r = BLOCK(me, epoll_masked(NULL, c));
	} while (is_interrupted(r) && handlers_run(me) == before);
	return is_interrupted(r) ? (int)look_once_more(epoll_now(me, c)) : r;
}

static int epoll_until(struct thread *me, struct epoll_call *c)
{
	if (me->kind != THREAD_USER)
		return epoll_native(me, c);
	struct op op = op_init(me, c->ep, IO_READ);

	test_cancel();
	op.has_timeout = true;
	op_take(&op);
	for (;;) {
		long r = epoll_now(me, c);

		if (r != 0) {
			op_done(&op, r, 0);
			return (int)answer(r);
		}
		if (!op.gives_up && may_block(me))
			return epoll_native(me, c);
		switch (op_wait_until(&op, c->deadline_ns)) {
		case OP_TRY:
			break;
		case OP_NATIVE:
			return epoll_native(me, c);
		case OP_FAIL:
			return (int)answer(op.err == EAGAIN ? 0 : -op.err);
		}
	}
}

static long epoll_look(void *arg)
{
	struct epoll_call *c = arg;

	return epoll_now(c->op->me, c);
}

static int epoll_park(void *arg)
{
	struct epoll_call *c = arg;
	int err = io_wait(c->ep, IO_READ, c->deadline_ns);

	if (!err)
		c->op->has_token = true;
	return err;
}

/* With another mask meanwhile. */
static int epoll_with(struct thread *me, struct epoll_call *c, uint64_t mask)
{
	const struct parked_call call = { epoll_look, epoll_park, c };
	struct op op = op_init(me, c->ep, IO_READ);

	test_cancel();
	c->op = &op;
	op_take(&op);
	long r = first_look(&call);

	if (r == 0)
		r = may_block(me) ? -EPERM : signal_masked_park(me, mask, &call);
	if (r != -EPERM) {
		op_done(&op, r, 0);
		return (int)answer(r);
	}
	return signal_masked_call(me, mask, epoll_masked, c);
}

static int epoll_do(struct thread *me, struct epoll_call *c, const sigset_t *mask)
{
	if (!changes_mask(me, mask))
		return epoll_until(me, c);
	return me->kind == THREAD_USER ? epoll_with(me, c, mask_of(mask)) : signal_bound_call(me, mask, epoll_masked, c);
}

EXPORT int epoll_pwait(int ep, struct epoll_event *events, int max, int timeout_ms, const sigset_t *mask)
{
	struct thread *me = timeout_ms ? io_waiter() : NULL;

	if (!me)
		return REAL(epoll_pwait)(ep, events, max, timeout_ms, mask);
	struct epoll_call c = {
		.ep = ep, .max = max, .events = events,
		.deadline_ns = timeout_ms < 0 ? NEVER : deadline_after((uint64_t)timeout_ms * NS_PER_MS),
	};

	return epoll_do(me, &c, mask);
}

EXPORT int epoll_wait(int ep, struct epoll_event *events, int max, int timeout_ms)
{
	return epoll_pwait(ep, events, max, timeout_ms, NULL);
}

EXPORT int epoll_pwait2(int ep, struct epoll_event *events, int max, const struct timespec *timeout,
			const sigset_t *mask)
{
	struct thread *me = io_waiter();

	if (!me || (timeout && !is_valid(timeout)) || (timeout && !timeout->tv_sec && !timeout->tv_nsec))
		return REAL_OR(epoll_pwait2, epoll_pwait2_by_number)(ep, events, max, timeout, mask);
	struct epoll_call c = {
		.ep = ep, .max = max, .events = events, .deadline_ns = deadline_of(timeout), .is_fine = true,
	};

	return epoll_do(me, &c, mask);
}

EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room)
{
	return room / sizeof(*fds) < n ? REAL(__poll_chk)(fds, n, timeout_ms, room) :
					 poll(fds, n, timeout_ms);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		       const sigset_t *mask, size_t room)
{
	return room / sizeof(*fds) < n ? REAL(__ppoll_chk)(fds, n, timeout, mask, room) :
					 ppoll(fds, n, timeout, mask);
}

ALIAS(__poll, poll);
ALIAS(__select, select);

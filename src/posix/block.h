// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the wrappers of blocking calls share.
 *
 * A wrapper makes libc's call unless io_parker() says that the caller is a thread that can park: not
 * before threads have started, not on a kernel thread of its own, not between vfork and exec, not
 * on an alternate signal stack.  A thread that can park tries without blocking; when that would
 * block, op_wait says what next.
 */
#ifndef UPCALL_POSIX_BLOCK_H
#define UPCALL_POSIX_BLOCK_H

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "../arch/arch.h"
#include "../base/clock.h"
#include "../io/io.h"
#include "../sched/sched.h"
#include "real.h"

/* glibc has it since 2.35. */
extern int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);

/* Words of thread.posix[], which the signal code writes. */
enum { POSIX_HANDLERS = 0, POSIX_IN_VFORK = 1, POSIX_ON_ALTSTACK = 2 };

static inline struct thread *io_parker(void)
{
	struct thread *me;

	if (!sched_is_started)
		return NULL;
	me = self_ptr;
	if (!me || me->kind != THREAD_USER || me->in_rt || me->posix[POSIX_IN_VFORK] ||
	    me->posix[POSIX_ON_ALTSTACK])
		return NULL;
	return me;
}

/*
 * One on a kernel thread of its own, which waits in the kernel.  A signal that others block, and that is ignored by
 * default, has a handler of ours (sigaction.c): it ends calls of this one, too, and is not to show.
 */
static inline struct thread *bound_waiter(void)
{
	struct thread *me = sched_is_started ? self_ptr : NULL;

	if (!me || me->kind != THREAD_BOUND || me->in_rt || me->posix[POSIX_IN_VFORK])
		return NULL;
	return load_relaxed(&sched_is_confined) ? NULL : me;	/* its filter may know just libc's calls */
}

static inline struct thread *io_waiter(void)
{
	struct thread *me = io_parker();

	return me ? me : bound_waiter();
}

/*
 * How many handlers of the program have run on this thread: all of them in the low half; in the
 * high half those that end a call, as they are without SA_RESTART.
 */
static inline uint64_t handlers_run(const struct thread *me)
{
	return (uintptr_t)me->posix[POSIX_HANDLERS];
}

/* It is about to wait in the kernel, and again after a handler that does not end the wait: the next one decides. */
static inline void wait_begins_again(struct thread *me)
{
	me->decided_seq = load_relaxed(&me->wait_seq) - 1;	/* relaxed: our own */
}

/* Of a thread without a TLS block, which may go on with another's. */
void block_end_bare(struct thread *me);

static inline void block_end(struct thread **me)
{
	if (unlikely((*me)->is_bare))
		block_end_bare(*me);
	else
		sched_end_block(*me);
}

/*
 * A call that blocks in the kernel, made by a thread of ours: its vproc is free meanwhile.  The
 * cleanup is for a cancellation, which unwinds out of libc's call.
 */
#define BLOCK(me, call) \
	({ \
		__attribute__((cleanup(block_end))) struct thread *blocked_ = (me); \
		sched_begin_block(blocked_); \
		(call); \
	})

/*
 * A call failed with EINTR.  Was that a signal of ours, of which the program is to see nothing?  So it was if no handler
 * has run since `before`; or if, the kernel having begun the call again after one, it ended for what is nothing to it.
 */
static inline bool was_vain(struct thread *me, uint64_t before)
{
	return handlers_run(me) == before || me->call_end == END_IN_VAIN;
}

/* A call that a signal of ours may end with EINTR, and which is then made again, if it may be. */
#define REPEAT_VAIN(me, may_repeat, call) \
	({ \
		uint64_t before_ = handlers_run(me); \
		__typeof__(call) got_; \
		do { \
			(me)->call_end = END_UNKNOWN; \
			got_ = (call); \
		} while (got_ == -1 && errno == EINTR && (may_repeat) && was_vain(me, before_)); \
		got_; \
	})

/*
 * BLOCK, where the call fails with EINTR in spite of SA_RESTART; or may be made on main's kernel thread, which takes
 * main's signals, whatever their flags.
 */
#define BLOCK_INTR(me, call) REPEAT_VAIN(me, true, BLOCK(me, call))

/*
 * The same where a signal, whoever's handler it has, ends the call with a part: bound, the thread is sent none of ours.
 */
#define BLOCK_WHOLE(me, call) ((void)bind_self(), BLOCK_INTR(me, call))

/*
 * May the call simply block in the kernel?  Only if no thread at all is parked on a descriptor: with
 * one, threads are many enough for parking to pay, and each that blocks would hold a kernel thread.
 * Nor where another has just done so: two that wait for each other had better take turns on one vproc.
 */
static inline bool may_block(struct thread *me)
{
	return !io_has_waiters() && sched_is_alone(me) && !sched_has_partner(me);
}

/* The same for a wait for any of several descriptors: those are of no partner, but of as many peers. */
static inline bool may_block_for_any(struct thread *me)
{
	return !io_has_waiters() && sched_is_alone(me);
}

static inline void test_cancel(void)
{
	REAL(pthread_testcancel)();
}

/* A kernel's answer as libc gives it. */
static inline long answer(long r)
{
	if (r >= 0 || r < -4095)
		return r;
	errno = (int)-r;
	return -1;
}

/*
 * A call with no timeout.  It too may say EINTR without having looked, when a signal of ours comes
 * at the wrong moment.
 */
#define LOOK(me, call) \
	({ \
		uint64_t before_ = handlers_run(me); \
		long seen_; \
		do { \
			seen_ = (call); \
		} while (seen_ == -EINTR && handlers_run(me) == before_); \
		seen_; \
	})

/* One call on one descriptor. */
struct op {
	struct thread *me;
	int fd;
	uint32_t known;			/* what was remembered of fd as it began */
	enum io_dir dir;
	bool has_token;			/* see io.h */
	bool is_waiting;		/* it has waited, and knows how to wait */
	bool has_timeout;
	bool has_part;			/* a part is read or written: any handler ends the call, with that */
	bool was_native;		/* it has once been left to the kernel to wait */
	bool has_no_message;		/* what was read came with nothing beside it: see op_proves_empty */
	bool gives_up;			/* a signal came or the time is over: the next try is the last */
	int err;			/* OP_FAIL: what for */
	uint64_t handlers;
	uint64_t deadline_ns;
};

enum op_next {
	OP_TRY,		/* again */
	OP_NATIVE,	/* make libc's blocking call */
	OP_FAIL,	/* give up with op.err */
};

static inline struct op op_init_known(struct thread *me, int fd, enum io_dir dir, uint32_t known)
{
	return (struct op){ .me = me, .fd = fd, .known = known, .dir = dir, .handlers = handlers_run(me) };
}

static inline struct op op_init(struct thread *me, int fd, enum io_dir dir)
{
	return op_init_known(me, fd, dir, io_known(fd));
}

/* As fd_type; what is remembered besides is in *ret_known. */
static inline enum io_type fd_look(int fd, uint32_t *ret_known)
{
	enum io_type type;

	*ret_known = io_known(fd);
	type = io_type_in(*ret_known);
	if (unlikely(type == IO_UNKNOWN)) {
		type = fd_type(fd);
		*ret_known = io_known(fd);
	}
	return type;
}

#pragma GCC visibility push(hidden)
/* sigmask.c: it has just failed to write, and may have been sent a signal for that, which is its own. */
COLD void signal_keep_own(struct thread *me);
/* The call would block.  May not return: cancellation. */
enum op_next op_wait(struct op *op);
/* Asked of the kernel, unless it is known. */
bool fd_is_nonblocking(int fd);
/* libc's call failed with EAGAIN: with O_NONBLOCK? */
COLD void op_learn_mode(const struct op *op);
/* libc's call failed, by errno.  Learns from that.  True: another try is due. */
COLD bool op_tries_again(struct op *op);
/* Learns the time limit, which began then.  For who leaves the call to libc without op_wait. */
void op_begin_wait(struct op *op, uint64_t since_ns);
/*
 * Where a part is done: the kernel would begin a call for the rest again after a handler.  And where a time limit has
 * begun.  Never OP_NATIVE.
 */
enum op_next op_wait_in_kernel(struct op *op);
/* Waits until deadline_ns at most, whatever the descriptor's own limits say. */
enum op_next op_wait_until(struct op *op, uint64_t deadline_ns);
/*
 * libc's blocking call on a stream wrote less than all.  Was that a signal of ours?  Then the rest is
 * to be written, as if nothing had been.
 */
bool op_was_cut(const struct op *op);
/* Is there something to wait for now?  poll(2) with no timeout. */
bool op_is_ready(const struct op *op);
/* net.c: the kernel's answer, without waiting. */
long net_try_recv(struct op *op, void *buf, size_t n, int flags);
long net_try_recvmsg(struct op *op, struct msghdr *msg, int flags);
bool net_is_broken(int fd);
bool net_has_low_water(int fd);		/* SO_RCVLOWAT: only the kernel's wait keeps it */
ssize_t net_send(struct thread *me, int fd, const void *buf, size_t n);
ssize_t net_sendmsg(struct thread *me, int fd, const struct msghdr *msg, int flags);
#pragma GCC visibility pop

static inline ssize_t written(struct thread *me, ssize_t r)
{
	if (unlikely(r < 0) && me && (errno == EPIPE || errno == EFBIG))
		signal_keep_own(me);
	return r;
}

static inline bool op_is_stream(const struct op *op)
{
	enum io_type type = io_type(op->fd);

	return type == IO_PIPE || (type >= IO_TCP && type <= IO_STREAM);
}

/*
 * A stream was read or written short: is that a proof that nothing (no room) is left?  A local socket's read
 * also ends behind bytes that came with descriptors or credentials; recvmsg tells (MSG_CTRUNC).
 */
static inline bool op_proves_empty(const struct op *op)
{
	uint32_t known;
	enum io_type type = fd_look(op->fd, &known);

	if (type == IO_SOCKET)
		type = fd_socket_type(op->fd);
	return (type == IO_TCP || type == IO_PIPE || (type == IO_LOCAL && op->has_no_message)) &&
	       !io_doubts_type(type) && !(known & IO_KNOWN_STICKY);
}

/*
 * False: nothing there, it is not worth a try.  Of what is no stream the call may fail at once, or take nothing, nevertheless:
 * a terminal's may, or one of something that cannot be read.
 */
static inline bool op_take(struct op *op)
{
	if (op->dir == IO_READ)
		sched_turn(op->me);
	enum io_taken taken = io_take(op->fd, op->dir);

	op->has_token = taken == IO_TOKEN;
	return taken != IO_EMPTY || !op_is_stream(op);
}

/* As the last time, it would be in vain to try before the wait, which the kernel can do as well. */
static inline bool op_expects_wait(const struct op *op)
{
	return !op->has_token && (io_notes(op->fd) & IO_WAITED) && may_block(op->me);
}

/* The try gave r, of n asked for (0: r proves nothing). */
static inline void op_done(struct op *op, long r, size_t n)
{
	if (!op->has_token)
		return;
	op->has_token = false;
	if (r <= 0 || (size_t)r >= n || n > INT32_MAX || !op_proves_empty(op))
		io_put(op->fd, op->dir);
}

/* A cleanup, for who makes libc's call with the token: a cancellation unwinds out of that. */
static inline void op_give_on(struct op **op)
{
	if (*op)
		op_done(*op, -1, 0);
}

/* libc's blocking call.  With a time limit, which that would begin anew: once, and then op_tries_again. */
#define OP_BLOCK(op, call) REPEAT_VAIN((op)->me, !(op)->has_timeout, BLOCK((op)->me, call))

/* The descriptor was seen with O_NONBLOCK: libc's call is right, and if that changed it blocks. */
static inline bool op_is_nonblocking(const struct op *op)
{
	return io_is_nonblocking(op->fd, op->known);
}

/*
 * A whole call that takes something: TRY_CALL, the raw one made not to block, until it gives
 * anything but -EAGAIN; LIBC_CALL where it may block or does not by itself.
 */
#define OP_READ(op, n, is_nonblocking, TRY_CALL, LIBC_CALL) \
	({ \
		bool may_try_ = op_take(op); \
		ssize_t ret_ = -1; \
		if (is_nonblocking) { \
			__attribute__((cleanup(op_give_on))) __typeof__(op) held_ = (op); \
			ret_ = (LIBC_CALL); \
			if (ret_ >= 0 || errno != EAGAIN) \
				op_done(op, ret_, n); \
			held_ = NULL; \
		} else { \
			may_try_ = may_try_ && !op_expects_wait(op); \
			for (;;) { \
				long r_ = may_try_ ? (TRY_CALL) : -EAGAIN; \
				if (r_ != -EAGAIN) { \
					op_done(op, r_, n); \
					ret_ = answer(r_); \
					break; \
				} \
				enum op_next next_ = op_wait(op); \
				if (next_ == OP_TRY) { \
					may_try_ = true; \
					continue; \
				} \
				if (next_ == OP_NATIVE) { \
					ret_ = OP_BLOCK(op, LIBC_CALL); \
					if (unlikely(ret_ < 0) && op_tries_again(op)) { \
						may_try_ = true; \
						continue; \
					} \
				} else { \
					errno = (op)->err; \
				} \
				break; \
			} \
		} \
		ret_; \
	})

#endif

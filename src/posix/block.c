// SPDX-License-Identifier: BSD-2-Clause
#include "block.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

bool fd_is_nonblocking(int fd)
{
	if (io_is_blocking(fd))
		return false;
	uint32_t blocking = io_mode_epoch(false), nonblocking = io_mode_epoch(true);
	long mode = arch_syscall2(SYS_fcntl, fd, F_GETFL);

	if (mode < 0)
		return false;			/* the next try says what is wrong */
	if (mode & O_NONBLOCK) {
		io_note_mode(fd, true, nonblocking);
		return true;
	}
	if (fd_type(fd) >= IO_SOCKET)		/* others are shared with whom we do not know */
		io_note_mode(fd, false, blocking);
	return false;
}

/* SO_RCVTIMEO or SO_SNDTIMEO, asked for once. */
static uint64_t own_timeout(int fd, enum io_dir dir)
{
	struct timeval tv = { 0 };
	socklen_t size = sizeof(tv);

	if (fd_type(fd) < IO_SOCKET)
		return NEVER;
	if (io_notes(fd) & (dir == IO_READ ? IO_KNOWS_RCVTIMEO : IO_KNOWS_SNDTIMEO))
		return io_timeout(fd, dir);
	uint64_t epoch = io_timeout_epoch();
	long err = arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET,
				 dir == IO_READ ? SO_RCVTIMEO : SO_SNDTIMEO, (long)&tv, (long)&size);
	uint64_t ns = err ? 0 : ns_from_timespec(&(struct timespec){ tv.tv_sec, tv.tv_usec * (long)NS_PER_US });

	if (!ns)
		ns = NEVER;
	io_set_timeout(fd, dir, ns, epoch);
	return ns;
}

/* A signal came.  Did a handler run that ends this call? */
static bool is_interrupted(const struct op *op)
{
	uint64_t now = handlers_run(op->me);

	return op->has_timeout || op->has_part ? now != op->handlers : now >> 32 != op->handlers >> 32;
}

static enum op_next fail(struct op *op, int err)
{
	op->err = err;
	return OP_FAIL;
}

/* What libc's call says goes with it. */
COLD void block_end_bare(struct thread *me)
{
	int *(*volatile place)(void) = __errno_location;	/* compilers take that for the same one ever after */
	int said = *place();

	sched_end_block(me);
	*place() = said;
}

/* What is there already comes before a signal and before the end of the time, and our poller may not have seen it yet. */
static enum op_next try_once_more(struct op *op, int err)
{
	op->gives_up = true;
	op->err = err;
	return OP_TRY;
}

enum op_next op_wait_in_kernel(struct op *op)
{
	struct pollfd p = { op->fd, op->dir == IO_READ ? POLLIN : POLLOUT, 0 };
	int r;

	do {
		uint64_t now = op->has_timeout ? now_ns() : 0;
		uint64_t left = op->deadline_ns > now ? op->deadline_ns - now : 0;
		struct timespec ts = { (time_t)(left / NS_PER_S), (long)(left % NS_PER_S) };

		r = BLOCK(op->me, REAL(ppoll)(&p, 1, op->has_timeout ? &ts : NULL, NULL));
		if (r < 0 && (errno != EINTR || is_interrupted(op)))
			return fail(op, errno);
	} while (r < 0);
	return r ? OP_TRY : fail(op, EAGAIN);
}

enum op_next op_wait_until(struct op *op, uint64_t deadline_ns)
{
	if (unlikely(op->gives_up))
		return OP_FAIL;
	for (;;) {
		int err = io_wait(op->fd, op->dir, deadline_ns);

		switch (err) {
		case 0:
			op->has_token = true;
			return OP_TRY;
		case -ECANCELED:
			test_cancel();
			break;
		case -EINTR:
			if (is_interrupted(op))
				return try_once_more(op, EINTR);
			op->handlers = handlers_run(op->me);	/* the call begins again */
			break;
		case -ETIMEDOUT:
			return try_once_more(op, EAGAIN);
		case -EBADF:
			return fail(op, EBADF);
		default:
			if (op->is_waiting && (op->has_timeout || op->has_part))
				return op_wait_in_kernel(op);
			op->was_native = true;
			return OP_NATIVE;
		}
	}
}

/* The kernel shall wait.  Now and then the next read tries first again, for what comes faster meanwhile. */
static enum op_next native(struct op *op)
{
	enum { TRY_EACH = 8 };

	if (op->has_part)
		return op_wait_in_kernel(op);
	op->was_native = true;
	if (op->dir == IO_READ) {
		bool waits = ++op->me->reads_waited % TRY_EACH != 0;

		io_note(op->fd, waits ? IO_WAITED : 0, waits ? 0 : IO_WAITED);
	}
	return OP_NATIVE;
}

void op_learn_mode(const struct op *op)
{
	int saved_errno = errno;

	fd_is_nonblocking(op->fd);
	errno = saved_errno;
}

/*
 * A signal of ours may have ended the call, before a handler ran and after that something came.  If none ran, the
 * call had a time limit, and what is left of that is waited for here (op_wait).
 */
bool op_tries_again(struct op *op)
{
	if (errno == EAGAIN)
		op_learn_mode(op);
	if (errno != EINTR || op->gives_up)
		return false;
	return (op->has_timeout && !is_interrupted(op)) || try_once_more(op, EINTR) == OP_TRY;
}

void op_begin_wait(struct op *op, uint64_t since_ns)
{
	uint64_t timeout = own_timeout(op->fd, op->dir);

	op->is_waiting = true;
	op->has_timeout = timeout != NEVER;
	op->deadline_ns = timeout == NEVER ? NEVER : ns_after(since_ns, timeout);
}

/* Of datagrams: the kernel's blocking call says so, and none that does not block. */
static COLD bool is_shut_down(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };
	struct timespec zero = { 0 };
	enum io_type type = fd_type(fd);

	if (type == IO_SOCKET)
		type = fd_socket_type(fd);
	return type == IO_MESSAGE && arch_syscall6(SYS_ppoll, (long)&p, 1, (long)&zero, 0, 8, 0) == 1 &&
	       (p.revents & POLLRDHUP);
}

enum op_next op_wait(struct op *op)
{
	if (unlikely(op->gives_up))
		return OP_FAIL;
	if (unlikely(op->dir == IO_READ && io_is_sticky(op->fd)) && is_shut_down(op->fd))
		return OP_NATIVE;
	if (!op->is_waiting) {
		if (likely(io_waits_plainly(op->fd, op->dir))) {
			op->is_waiting = true;
			op->has_timeout = false;
			op->deadline_ns = NEVER;
		} else {
			/* Nothing but O_NONBLOCK matters then, and that the kernel knows. */
			if (fd_type(op->fd) < IO_SOCKET && !op->has_part && may_block(op->me))
				return native(op);
			if (fd_is_nonblocking(op->fd))
				return OP_NATIVE;
			op_begin_wait(op, now_ns());
		}
		if (may_block(op->me))
			return native(op);
	}
	return op_wait_until(op, op->deadline_ns);
}

bool op_was_cut(const struct op *op)
{
	return !fd_is_nonblocking(op->fd) && handlers_run(op->me) == op->handlers &&
	       !(op->has_timeout && now_ns() >= op->deadline_ns);
}

bool op_is_ready(const struct op *op)
{
	struct pollfd p = { .fd = op->fd, .events = op->dir == IO_READ ? POLLIN : POLLOUT };
	struct timespec zero = { 0 };

	long r;

	do {
		r = arch_syscall6(SYS_ppoll, (long)&p, 1, (long)&zero, 0, 8, 0);
	} while (r == -EINTR);
	return r != 0;
}

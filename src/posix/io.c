// SPDX-License-Identifier: BSD-2-Clause
/*
 * read, write and their vectored forms, on whatever the descriptor is.
 *
 * Sockets take MSG_DONTWAIT, pipes and the like RWF_NOWAIT; what takes neither (terminals, pipes
 * before Linux 6.4) is polled and then really called, which may block and is an upcall.  Files are
 * simply called: a hit in the page cache costs nothing extra, a miss is an upcall.
 */
#include "bind.h"
#include "block.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "alias.h"
#include "vec.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

static long try_preadv2(int fd, const struct iovec *v, int n, bool *ret_is_refused)
{
	*ret_is_refused = true;
	if (unlikely(self_ptr->kind != THREAD_USER))	/* since it began to wait: its program's filter may not know this */
		return -EOPNOTSUPP;
	long r = arch_syscall6(SYS_preadv2, fd, (long)v, n, -1, -1, RWF_NOWAIT);

	/* EPERM: a container's filter, which knows old calls only. */
	*ret_is_refused = r == -EOPNOTSUPP || r == -ENOSYS || r == -EPERM;
	return r;
}

/* An error, which poll does not tell of: the wrong end of a pipe, too few bytes for the count of an eventfd or a timerfd. */
static bool is_error(int fd, size_t bytes)
{
	struct stat st;

	return (arch_syscall2(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_WRONLY ||
	       (bytes < sizeof(uint64_t) && !arch_syscall2(SYS_fstat, fd, (long)&st) && !(st.st_mode & S_IFMT));
}

static long try_after_poll(struct op *op, const struct iovec *v, int n)
{
	if (!op_is_ready(op) && !is_error(op->fd, vec_bytes(v, (size_t)n)))
		return -EAGAIN;
	__attribute__((cleanup(op_give_on))) struct op *held = op;	/* readv may be cancelled */
	ssize_t r = REPEAT_VAIN(op->me, true, REAL(readv)(op->fd, v, n));

	held = NULL;
	return r < 0 ? -errno : r;
}

/*
 * Does a terminal's read end where poll sees nothing?  So it may where it asks for no input, or for more of it than this
 * read; and in the background it is an error, or a signal.  A master, which is nobody's terminal, has no background.
 */
static bool tty_needs_kernel(int fd)
{
	int group = 0, number;
	struct termios t;

	if (io_notes(fd) & IO_NO_TTY)
		return false;
	if (arch_syscall3(SYS_ioctl, fd, TCGETS, (long)&t)) {
		io_note(fd, IO_NO_TTY, 0);
		return false;
	}
	if (!(t.c_lflag & ICANON) && t.c_cc[VMIN] != 1)
		return true;
	return !arch_syscall3(SYS_ioctl, fd, TIOCGPGRP, (long)&group) && group != (int)arch_syscall1(SYS_getpgid, 0) &&
	       arch_syscall3(SYS_ioctl, fd, TIOCGPTN, (long)&number) < 0;
}

/* The kernel does more for a vector of one. */
static ssize_t call_read(int fd, const struct iovec *v, int n)
{
	return n == 1 ? REAL(read)(fd, v->iov_base, v->iov_len) : REAL(readv)(fd, v, n);
}

static long try_pipe(int fd, const struct iovec *v, int n, bool *ret_is_refused, bool *is_trial)
{
	long r = try_preadv2(fd, v, n, ret_is_refused);

	if (*is_trial)
		io_note_try(fd, r == -EAGAIN);
	*is_trial = false;
	return r;
}

/* Everything that is no socket and no file. */
static ssize_t read_polled(struct thread *me, int fd, const struct iovec *v, int n)
{
	struct op op = op_init(me, fd, IO_READ);
	size_t bytes = vec_bytes(v, (size_t)n);
	bool is_nonblocking = op_is_nonblocking(&op), is_refused = false;
	int saved_errno = errno;

	if (is_nonblocking || !(io_notes(fd) & IO_NO_NOWAIT_READ)) {
		bool is_trial = !is_nonblocking && io_give_turn(me, fd);
		ssize_t r = OP_READ(&op, bytes, is_nonblocking, try_pipe(fd, v, n, &is_refused, &is_trial),
				    call_read(fd, v, n));

		if (!is_refused)
			return r;
		if (unlikely(op.gives_up))
			return answer(-op.err);
		if (likely(me->kind == THREAD_USER))	/* else it was bound meanwhile, and did not ask */
			io_note(fd, IO_NO_NOWAIT_READ, 0);
		errno = saved_errno;
	}
	if (tty_needs_kernel(fd))
		return BLOCK_WHOLE(me, call_read(fd, v, n));
	return OP_READ(&op, bytes, false, try_after_poll(&op, v, n), call_read(fd, v, n));
}

/*
 * The kernel has read a part.  Of random bytes or zeroes there are always enough: was it a signal?  It looks for one
 * each so many bytes, in old kernels too; and who reads a file often asks for more than there is.
 */
static bool was_cut(int fd, ssize_t r, size_t n)
{
	enum { PIECE = 64 };
	struct stat st;

	return unlikely(r > 0 && (size_t)r < n && !(r % PIECE)) && !arch_syscall2(SYS_fstat, fd, (long)&st) &&
	       S_ISCHR(st.st_mode);
}

static ssize_t read_file(struct thread *me, int fd, char *buf, size_t n)
{
	uint64_t before = handlers_run(me);
	ssize_t r = REAL(read)(fd, buf, n), done = r;

	while (was_cut(fd, r, n) && handlers_run(me) == before) {
		buf += r;
		n -= (size_t)r;
		r = REAL(read)(fd, buf, n);
		done += r > 0 ? r : 0;
	}
	return done;
}

/* Was fd a socket, closed unseen, and is another file by now? */
static bool is_stale(int fd, ssize_t r)
{
	if (likely(r >= 0 || errno != ENOTSOCK))
		return false;
	io_fresh(fd, IO_UNKNOWN);
	return true;
}

static ssize_t read_socket(struct thread *me, int fd, const struct iovec *v, int n)
{
	struct op op = op_init(me, fd, IO_READ);
	struct msghdr msg = { .msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n };

	if (unlikely(net_has_low_water(fd)))
		return BLOCK_WHOLE(me, REAL(readv)(fd, v, n));
	return OP_READ(&op, vec_bytes(v, (size_t)n), op_is_nonblocking(&op),
		       net_try_recvmsg(&op, &msg, 0), REAL(readv)(fd, v, n));
}

/* A pipe: nothing of at most PIPE_BUF bytes is split, more is written piece by piece. */
static ssize_t write_pipe(struct thread *me, int fd, const struct iovec *v, int n)
{
	struct op op = op_init(me, fd, IO_WRITE);
	size_t bytes = vec_bytes(v, (size_t)n), done = 0;
	struct iovec rest[VEC_REST];

	for (;;) {
		const struct iovec *now = done ? rest : v;
		int count = done ? (int)vec_rest(v, (size_t)n, done, rest) : n;
		bool may_ask = likely(me->kind == THREAD_USER) && !(io_notes(fd) & IO_NO_NOWAIT_WRITE);
		long r = may_ask ? arch_syscall6(SYS_pwritev2, fd, (long)now, count, -1, -1, RWF_NOWAIT) : -EOPNOTSUPP;

		if (r >= 0) {
			op_done(&op, r, vec_bytes(now, (size_t)count));
			io_tell_reader(fd);
			done += (size_t)r;
			if (done >= bytes)
				return (ssize_t)done;
			op.has_part = done;
			op_take(&op);
			continue;
		}
		enum op_next next = r == -EAGAIN ? op_wait(&op) : OP_FAIL;

		if (next == OP_TRY)
			continue;
		if (next == OP_NATIVE || r == -EOPNOTSUPP || r == -ENOSYS || r == -EPERM) {
			if (may_ask && r != -EAGAIN)
				io_note(fd, IO_NO_NOWAIT_WRITE, 0);
			r = BLOCK_INTR(me, REAL(writev)(fd, now, count));
			if (r < 0) {
				if (errno == EAGAIN)
					op_learn_mode(&op);
				return done ? (ssize_t)done : r;
			}
			done += (size_t)r;
			if (done < bytes)
				signal_keep_own(me);	/* a part was written, and the rest was an error */
			if (done >= bytes || !op_was_cut(&op))
				return (ssize_t)done;
			op.has_part = done;
			continue;
		}
		if (r != -EAGAIN)
			op_done(&op, r, 0);
		else
			r = -op.err;
		if (done && r == -EPIPE)
			signal_keep_own(me);
		return done ? (ssize_t)done : answer(r);
	}
}

EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	struct thread *me = io_parker();
	struct iovec v = { buf, n };
	uint32_t known;

	if (!me || (ssize_t)n <= 0)
		return REAL(read)(fd, buf, n);
	switch (fd_look(fd, &known)) {
	case IO_FILE:
		return read_file(me, fd, buf, n);
	case IO_UNKNOWN:
		return REAL(read)(fd, buf, n);
	case IO_PIPE:
	case IO_CHAR:
		test_cancel();
		return read_polled(me, fd, &v, 1);
	default: {
		struct op op = op_init_known(me, fd, IO_READ, known);

		test_cancel();
		if (unlikely(net_has_low_water(fd)))
			return BLOCK_WHOLE(me, REAL(read)(fd, buf, n));
		ssize_t r = OP_READ(&op, n, op_is_nonblocking(&op),
				    net_try_recv(&op, buf, n, 0),
				    REAL(read)(fd, buf, n));

		return unlikely(is_stale(fd, r)) ? read(fd, buf, n) : r;
	}
	}
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	struct thread *me = io_parker();
	enum io_type type = me ? fd_type(fd) : IO_UNKNOWN;

	if (type == IO_UNKNOWN || type == IO_FILE || n <= 0 || n > IOV_MAX || (ssize_t)vec_bytes(v, (size_t)n) <= 0)
		return REAL(readv)(fd, v, n);
	test_cancel();
	if (type < IO_SOCKET)
		return read_polled(me, fd, v, n);
	ssize_t r = read_socket(me, fd, v, n);

	return unlikely(is_stale(fd, r)) ? readv(fd, v, n) : r;
}

/* Terminals and other devices are simply written to; of those only terminals are known to take the rest later. */
static ssize_t write_char(struct thread *me, int fd, const struct iovec *v, int n)
{
	struct op op = op_init(me, fd, IO_WRITE);
	size_t bytes = vec_bytes(v, (size_t)n), done = 0;
	struct iovec rest[VEC_REST];
	struct termios t;
	ssize_t r;

	do {
		const struct iovec *now = done ? rest : v;
		int count = done ? (int)vec_rest(v, (size_t)n, done, rest) : n;

		r = REPEAT_VAIN(me, true, count == 1 ? REAL(write)(fd, now->iov_base, now->iov_len) :
						       REAL(writev)(fd, now, count));
		if (r > 0)
			done += (size_t)r;
	} while (unlikely(r > 0 && done < bytes) && !arch_syscall3(SYS_ioctl, fd, TCGETS, (long)&t) && op_was_cut(&op));
	return done ? (ssize_t)done : r;
}

static ssize_t write_vec(struct thread *me, int fd, const struct iovec *v, int n, enum io_type type)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n };

	test_cancel();
	if (type == IO_PIPE)
		return written(me, write_pipe(me, fd, v, n));
	if (type == IO_CHAR)
		return written(me, write_char(me, fd, v, n));
	if (type == IO_SOCKET)
		type = fd_socket_type(fd);
	return net_sendmsg(me, fd, &msg, type == IO_SEQPACKET ? MSG_EOR : 0);
}

static bool is_plain_write(struct thread *me, int fd, enum io_type *ret_type)
{
	uint32_t known;

	if (!me)
		return true;
	*ret_type = fd_look(fd, &known);
	return *ret_type == IO_UNKNOWN || *ret_type == IO_FILE || io_is_nonblocking(fd, known);
}

EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	struct thread *me = io_parker();
	struct iovec v = { (void *)buf, n };
	enum io_type type;

	if (is_plain_write(me, fd, &type) || (ssize_t)n < 0)
		return written(me, REAL(write)(fd, buf, n));
	ssize_t r = type > IO_SOCKET && type != IO_SEQPACKET ? net_send(me, fd, buf, n) : write_vec(me, fd, &v, 1, type);

	return unlikely(is_stale(fd, r)) ? write(fd, buf, n) : r;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	struct thread *me = io_parker();
	enum io_type type;

	if (is_plain_write(me, fd, &type) || n <= 0 || n > IOV_MAX || (ssize_t)vec_bytes(v, (size_t)n) <= 0)
		return written(me, REAL(writev)(fd, v, n));
	ssize_t r = write_vec(me, fd, v, n, type);

	return unlikely(is_stale(fd, r)) ? writev(fd, v, n) : r;
}

/* Of the pool that is full a few bytes come at once; only of many the kernel leaves some out for a signal. */
EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	enum { AT_ONCE = 256 };
	struct thread *me = n > AT_ONCE ? io_parker() : NULL;
	size_t done = 0;
	ssize_t r;

	if (!me)
		return REAL(getrandom)(buf, n, flags);
	uint64_t before = handlers_run(me);

	do {
		r = REAL(getrandom)((char *)buf + done, n - done, flags);
		if (r > 0)
			done += (size_t)r;
	} while (r > 0 && done < n && handlers_run(me) == before && !(flags & GRND_RANDOM));
	return done ? (ssize_t)done : r;
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	return n > room ? REAL(__read_chk)(fd, buf, n, room) : read(fd, buf, n);
}

ALIAS(__read, read);
ALIAS(__write, write);

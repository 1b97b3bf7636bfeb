// SPDX-License-Identifier: BSD-2-Clause
/*
 * read, write and their kin: tried without blocking, then waited for.  All with bare system calls,
 * since errno is not ours to touch, and is another one after a wait where a thread has no TLS block.
 *
 * What takes no call that does not block (terminals, accept) is polled first and then really called, by one
 * thread at a time for each descriptor; if another process was faster, that blocks, and is an upcall.  So are reads of files.
 */
#include "io.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <termios.h>

#include "../arch/arch.h"
#include "../base/print.h"

enum { NOWAIT = 8 };	/* RWF_NOWAIT */

/* One call, and where it stands. */
struct call {
	int fd;
	enum io_dir dir;
	uint64_t deadline_ns;
	bool has_token;		/* see io/io.h */
	bool may_try;
	bool is_piece;		/* less was tried than was asked for: what was done proves nothing */
};

static struct call call_begin(int fd, enum io_dir dir, uint64_t deadline_ns)
{
	enum io_taken taken = io_take(fd, dir);

	return (struct call){ fd, dir, deadline_ns, taken == IO_TOKEN, taken != IO_EMPTY, false };
}

/* r is what the try gave; -EAGAIN: 0 to try again, else why not. */
static int call_wait(struct call *c)
{
	int err = native_wait(c->fd, c->dir, c->deadline_ns);

	c->may_try = true;
	c->has_token = !err;
	return err;
}

/* The try gave r of the n bytes asked for (0: r proves nothing): is the token to be passed on? */
static void call_end(struct call *c, long r, size_t n)
{
	enum io_type type = io_type(c->fd);

	if (!c->has_token)
		return;
	c->has_token = false;
	if (c->is_piece || r <= 0 || (size_t)r >= n || n > INT32_MAX || (type != IO_TCP && type != IO_PIPE) ||
	    io_doubts_type(type) || io_is_sticky(c->fd))
		io_put(c->fd, c->dir);
}

/* TRY until it gives anything but -EAGAIN, or the wait fails. */
#define CALL(c, bytes, TRY) \
	({ \
		long r_; \
		for (;;) { \
			r_ = (c)->may_try ? (TRY) : -EAGAIN; \
			if (r_ == -EINTR) \
				continue; \
			if (r_ != -EAGAIN) { \
				call_end(c, r_, bytes); \
				break; \
			} \
			int err_ = call_wait(c); \
			if (err_) { \
				r_ = err_; \
				break; \
			} \
		} \
		r_; \
	})

static bool is_socket(int fd)
{
	enum io_type type = fd_type(fd);

	if (type == IO_SOCKET)
		fd_socket_type(fd);
	return type >= IO_SOCKET;
}

static bool is_stream(int fd)
{
	enum io_type type = io_type(fd);

	return type == IO_TCP || type == IO_LOCAL || type == IO_STREAM;
}

static bool is_ready(const struct call *c)
{
	struct pollfd p = { .fd = c->fd, .events = c->dir == IO_READ ? POLLIN : POLLOUT };

	return native_ppoll(&p, 1, 0) != 0;
}

/* A call that may block, made where it will not; what io_turn_begin says, if the call's time is over before. */
#define ALONE(c, CALL) \
	({ \
		int turn_ = io_turn_begin((c)->fd, (c)->dir, (c)->deadline_ns); \
		long alone_ = turn_; \
		if (turn_ >= 0) { \
			alone_ = is_ready(c) ? NATIVE_BLOCK(CALL) : -EAGAIN; \
			if (turn_ != IO_NO_TURN) \
				io_turn_end((c)->fd, (c)->dir); \
		} \
		alone_; \
	})

/* A pipe, a terminal, a device. */
static long try_read(const struct call *c, const struct iovec *v)
{
	if (!(io_notes(c->fd) & IO_NO_NOWAIT_READ)) {
		long r = arch_syscall6(SYS_preadv2, c->fd, (long)v, 1, -1, -1, NOWAIT);

		if (r != -EOPNOTSUPP && r != -ENOSYS && r != -EPERM)
			return r;
		io_note(c->fd, IO_NO_NOWAIT_READ, 0);
	}
	return ALONE(c, arch_syscall3(SYS_readv, c->fd, (long)v, 1));
}

/*
 * A terminal does not say how much room it has, and may have less than its poll makes believe.  It tells a description
 * that does not block, so it is opened anew: one of our own, as O_NONBLOCK in the program's is everybody's.  A master,
 * which would be another one then, and what may not be opened, are left: -ENOTTY.
 */
static long write_to_terminal(const struct call *c, const struct iovec *v)
{
	struct termios t;
	char path[32];
	int number;

	if (arch_syscall3(SYS_ioctl, c->fd, TCGETS, (long)&t) || !arch_syscall3(SYS_ioctl, c->fd, TIOCGPTN, (long)&number))
		return -ENOTTY;
	print_to(path, sizeof(path), "/proc/self/fd/%d", c->fd);
	long own = arch_syscall4(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);

	if (own < 0)
		return -ENOTTY;
	long r = arch_syscall3(SYS_writev, own, (long)v, 1);

	arch_syscall1(SYS_close, own);
	return r;
}

/* Of so much there is room where a pipe's poll says that there is any. */
static long try_write(struct call *c, struct iovec *v)
{
	bool is_pipe = fd_type(c->fd) == IO_PIPE;

	if (!(io_notes(c->fd) & IO_NO_NOWAIT_WRITE)) {
		long r = arch_syscall6(SYS_pwritev2, c->fd, (long)v, 1, -1, -1, NOWAIT);

		if (r != -EOPNOTSUPP && r != -ENOSYS && r != -EPERM)
			return r;
		io_note(c->fd, IO_NO_NOWAIT_WRITE, 0);
	}
	/* Without a deadline a terminal keeps what it is given together, against other writers. */
	if (!is_pipe && c->deadline_ns != UPCALL_NEVER) {
		long r = write_to_terminal(c, v);

		if (r != -ENOTTY)
			return r;
	}
	c->is_piece = is_pipe && v->iov_len > PIPE_BUF;
	if (c->is_piece)
		v->iov_len = PIPE_BUF;
	return ALONE(c, arch_syscall3(SYS_writev, c->fd, (long)v, 1));
}

static ssize_t recv_some(int fd, void *buffer, size_t bytes, int flags, uint64_t deadline_ns)
{
	struct call c = call_begin(fd, IO_READ, deadline_ns);

	return CALL(&c, flags ? 0 : bytes,
		    arch_syscall6(SYS_recvfrom, fd, (long)buffer, (long)bytes, flags | MSG_DONTWAIT, 0, 0));
}

/* Of a call in pieces: an error after the first one is the next call's to tell. */
static ssize_t whole(size_t done, ssize_t last)
{
	if (!done)
		return last;
	native_keep_cancel((int)last);
	return (ssize_t)done;
}

/* Until all is there or the stream ends. */
static ssize_t recv_all(int fd, char *buffer, size_t bytes, int flags, uint64_t deadline_ns)
{
	size_t done = 0;
	ssize_t r;

	do {
		r = recv_some(fd, buffer + done, bytes - done, flags, deadline_ns);
		done += r > 0 ? (size_t)r : 0;
	} while (r > 0 && done < bytes);
	return whole(done, r);
}

ssize_t upcall_recv_until(int fd, void *buffer, size_t bytes, int flags, uint64_t deadline_ns)
{
	if (flags & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE))	/* those no socket waits for */
		return arch_syscall6(SYS_recvfrom, fd, (long)buffer, (long)bytes, flags | MSG_DONTWAIT, 0, 0);
	is_socket(fd);
	if ((flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL && is_stream(fd))
		return recv_all(fd, buffer, bytes, flags & ~MSG_WAITALL, deadline_ns);
	return recv_some(fd, buffer, bytes, flags, deadline_ns);
}

ssize_t upcall_read_until(int fd, void *buffer, size_t bytes, uint64_t deadline_ns)
{
	struct iovec v = { buffer, bytes };

	switch (fd_type(fd)) {
	case IO_FILE:
	case IO_UNKNOWN:
		return arch_syscall3(SYS_read, fd, (long)buffer, (long)bytes);
	case IO_PIPE:
	case IO_CHAR: {
		struct call c = call_begin(fd, IO_READ, deadline_ns);

		return CALL(&c, bytes, try_read(&c, &v));
	}
	default:
		return upcall_recv_until(fd, buffer, bytes, 0, deadline_ns);
	}
}

/* Until all is written. */
#define WHOLE(fd, bytes, deadline_ns, TRY) \
	({ \
		size_t done_ = 0; \
		long w_; \
		do { \
			struct call c_ = call_begin(fd, IO_WRITE, deadline_ns); \
			w_ = CALL(&c_, bytes - done_, TRY); \
			done_ += w_ > 0 ? (size_t)w_ : 0; \
		} while (w_ > 0 && done_ < (bytes)); \
		whole(done_, w_); \
	})

ssize_t upcall_send_until(int fd, const void *buffer, size_t bytes, int flags, uint64_t deadline_ns)
{
	const char *from = buffer;

	if (flags & MSG_DONTWAIT)
		return arch_syscall6(SYS_sendto, fd, (long)buffer, (long)bytes, flags, 0, 0);
	is_socket(fd);
	return WHOLE(fd, bytes, deadline_ns,
		     arch_syscall6(SYS_sendto, fd, (long)(from + done_), (long)(bytes - done_),
				   flags | MSG_DONTWAIT, 0, 0));
}

ssize_t upcall_write_until(int fd, const void *buffer, size_t bytes, uint64_t deadline_ns)
{
	const char *from = buffer;

	switch (fd_type(fd)) {
	case IO_FILE:
	case IO_UNKNOWN:
		return arch_syscall3(SYS_write, fd, (long)buffer, (long)bytes);
	case IO_PIPE:
	case IO_CHAR:
		return WHOLE(fd, bytes, deadline_ns,
			     try_write(&c_, &(struct iovec){ (void *)(from + done_), bytes - done_ }));
	default:
		return upcall_send_until(fd, buffer, bytes, 0, deadline_ns);
	}
}

int upcall_accept_until(int fd, struct sockaddr *ret_address, socklen_t *size, int flags, uint64_t deadline_ns)
{
	if (fd < 0)
		return -EBADF;		/* poll waits for such, as for none */
	struct call c = call_begin(fd, IO_READ, deadline_ns);
	int conn = (int)CALL(&c, 0, ALONE(&c, arch_syscall4(SYS_accept4, fd, (long)ret_address, (long)size, flags)));

	if (conn >= 0)
		io_fresh(conn, io_type(fd) > IO_SOCKET ? io_type(fd) : fd_socket_type(fd));
	return conn;
}

/* Begun without blocking; how it ended is asked when the socket has become writable. */
int upcall_connect_until(int fd, const struct sockaddr *address, socklen_t size, uint64_t deadline_ns)
{
	long mode = arch_syscall2(SYS_fcntl, fd, F_GETFL);

	if (mode < 0)
		return (int)mode;
	if (fd_socket_type(fd) != IO_MESSAGE)	/* that of datagrams others may be reading */
		io_fresh(fd, IO_UNKNOWN);
	arch_syscall3(SYS_fcntl, fd, F_SETFL, mode | O_NONBLOCK);
	long r = arch_syscall3(SYS_connect, fd, (long)address, size);

	arch_syscall3(SYS_fcntl, fd, F_SETFL, mode);
	/* A local socket whose queue is full knows no better than to block. */
	if (r == -EAGAIN && !(mode & O_NONBLOCK))
		r = NATIVE_BLOCK(arch_syscall3(SYS_connect, fd, (long)address, size));
	if (r != -EINPROGRESS && r != -EALREADY)
		return (int)r;
	struct call c = { .fd = fd, .dir = IO_WRITE, .deadline_ns = deadline_ns };
	int err = 0;
	socklen_t err_bytes = sizeof(err);

	while (!is_ready(&c)) {
		int why = call_wait(&c);

		if (why)
			return why;
	}
	call_end(&c, 0, 0);
	r = arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, (long)&err, (long)&err_bytes);
	return r < 0 ? (int)r : -err;
}

ssize_t upcall_read(int fd, void *buffer, size_t bytes)
{
	return upcall_read_until(fd, buffer, bytes, UPCALL_NEVER);
}

ssize_t upcall_write(int fd, const void *buffer, size_t bytes)
{
	return upcall_write_until(fd, buffer, bytes, UPCALL_NEVER);
}

ssize_t upcall_recv(int fd, void *buffer, size_t bytes, int flags)
{
	return upcall_recv_until(fd, buffer, bytes, flags, UPCALL_NEVER);
}

ssize_t upcall_send(int fd, const void *buffer, size_t bytes, int flags)
{
	return upcall_send_until(fd, buffer, bytes, flags, UPCALL_NEVER);
}

int upcall_accept(int fd, struct sockaddr *ret_address, socklen_t *size, int flags)
{
	return upcall_accept_until(fd, ret_address, size, flags, UPCALL_NEVER);
}

int upcall_connect(int fd, const struct sockaddr *address, socklen_t size)
{
	return upcall_connect_until(fd, address, size, UPCALL_NEVER);
}

int upcall_close(int fd)
{
	if (sched_is_started && io_is_ours(fd))
		return -EBADF;
	bool keeps_book = native_keeps_book(fd);

	if (keeps_book)
		io_close_begin(fd);
	int err = (int)arch_syscall1(SYS_close, fd);

	if (keeps_book)
		io_close_end(fd);
	return err;
}

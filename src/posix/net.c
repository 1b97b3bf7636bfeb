// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sockets: each call is first tried with MSG_DONTWAIT; what would block parks.
 *
 * connect simply blocks in the kernel: it is rare, and there is no way to wait for it without
 * O_NONBLOCK on a descriptor that others may share.
 */
#include "bind.h"
#include "block.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "alias.h"
#include "fd.h"
#include "vec.h"

/* With these flags a short count does not prove that nothing is left. */
enum { NO_PROOF = MSG_PEEK | MSG_OOB | MSG_ERRQUEUE | MSG_TRUNC };
/* Where a socket has these it does not wait for them, and that there are none says nothing of its data. */
enum { ASIDE = MSG_OOB | MSG_ERRQUEUE };

static enum io_type type_of(int fd)
{
	enum io_type type = fd_type(fd);

	return type == IO_SOCKET ? fd_socket_type(fd) : type;
}

static bool is_stream(int fd)
{
	enum io_type type = type_of(fd);

	return type == IO_TCP || type == IO_LOCAL || type == IO_STREAM;
}

/* Does something come with all that is read?  Then what was cut off does not say that there were descriptors. */
static bool passes_always(int fd)
{
	enum { PASS_PIDFD = 76 };
	static const int options[] = { SO_PASSCRED, SO_PASSSEC, PASS_PIDFD };
	int is_on = 0;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options) && !is_on; i++) {
		socklen_t size = sizeof(is_on);

		arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, options[i], (long)&is_on, (long)&size);
	}
	return is_on;
}

/* Some socket has SO_PEEK_OFF: that there is nothing behind that says nothing of what is before. */
static struct au32 uses_peek_off;

/* What only the kernel's blocking call does as it should be done. */
static bool is_kernels(int fd, int flags)
{
	return (flags & ASIDE) || net_has_low_water(fd) || ((flags & MSG_PEEK) && load_relaxed(&uses_peek_off)) ||
	       ((flags & MSG_WAITALL) &&
		((flags & NO_PROOF) || (is_stream(fd) && io_type(fd) == IO_LOCAL && passes_always(fd))));
}

/* Some socket has: which ones, the kernel knows, as a connection has its listener's. */
static struct au32 uses_low_water;

bool net_has_low_water(int fd)
{
	int bytes = 1;
	socklen_t size = sizeof(bytes);

	if (likely(!load_relaxed(&uses_low_water)))	/* relaxed: set before a socket can have it */
		return false;
	arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVLOWAT, (long)&bytes, (long)&size);
	return bytes > 1;
}

#define IN_KERNEL(me, fd, flags, call) \
	(((flags) & (MSG_DONTWAIT | ASIDE)) || fd_is_nonblocking(fd) ? (call) : BLOCK_WHOLE(me, call))

long net_try_recv(struct op *op, void *buf, size_t n, int flags)
{
	struct iovec v = { buf, n };
	struct msghdr msg = { .msg_iov = &v, .msg_iovlen = 1 };

	if (io_type_in(op->known) != IO_LOCAL)
		return arch_syscall6(SYS_recvfrom, op->fd, (long)buf, (long)n, flags | MSG_DONTWAIT, 0, 0);
	return net_try_recvmsg(op, &msg, flags);
}

/* With no room for control messages: what is cut off says that there was one. */
long net_try_recvmsg(struct op *op, struct msghdr *msg, int flags)
{
	long r = arch_syscall3(SYS_recvmsg, op->fd, (long)msg, flags | MSG_DONTWAIT);

	op->has_no_message = r > 0 && !(msg->msg_flags & MSG_CTRUNC);
	return r;
}

/* Does a TCP connection's error wait to be told?  Where a part is done, the kernel keeps it for the call after that. */
bool net_is_broken(int fd)
{
	const short both = POLLERR | POLLHUP;
	struct pollfd p = { .fd = fd };
	struct timespec zero = { 0 };

	return io_type(fd) == IO_TCP && arch_syscall6(SYS_ppoll, (long)&p, 1, (long)&zero, 0, 8, 0) == 1 &&
	       (p.revents & both) == both;
}

static bool has_input(int fd)
{
	int bytes = 0;

	return arch_syscall3(SYS_ioctl, fd, FIONREAD, (long)&bytes) == 0 && bytes > 0;
}

/* Of urgent data, before which a call ends that has a part. */
static bool is_at_mark(int fd)
{
	int is_at = 0;

	return arch_syscall3(SYS_ioctl, fd, SIOCATMARK, (long)&is_at) == 0 && is_at;
}

/* One-to-one SCTP looks like a stream, and keeps its messages apart. */
static bool keeps_messages(int fd)
{
	int protocol = 0;
	socklen_t size = sizeof(protocol);

	return io_type(fd) == IO_STREAM &&
	       !arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, (long)&protocol, (long)&size) &&
	       protocol == IPPROTO_SCTP;
}

/* MSG_WAITALL on a stream. */
struct receiving {
	struct op op;
	struct msghdr *whole, rest;
	struct iovec iov[VEC_REST];
	size_t done;
};

static bool waits_for_all(const struct op *op, const struct msghdr *msg, int flags)
{
	return (flags & (MSG_WAITALL | MSG_DONTWAIT)) == MSG_WAITALL && !msg->msg_controllen &&
	       msg->msg_iovlen <= VEC_REST && is_stream(op->fd) && !keeps_messages(op->fd) && !op_is_nonblocking(op);
}

static long try_piece(struct receiving *r, int flags)
{
	if (r->done && ((net_is_broken(r->op.fd) && !has_input(r->op.fd)) || is_at_mark(r->op.fd)))
		return 0;
	return net_try_recvmsg(&r->op, &r->rest, flags);
}

static ssize_t recv_piece(struct receiving *r, size_t n, int flags)
{
	r->rest = *r->whole;
	r->rest.msg_iovlen = vec_rest(r->whole->msg_iov, r->whole->msg_iovlen, r->done, r->iov);
	r->rest.msg_iov = r->iov;
	return OP_READ(&r->op, n, false, try_piece(r, flags), REAL(recvmsg)(r->op.fd, &r->rest, flags));
}

/* Until all is there, the end, descriptors, an error, a signal, or the time is over: one time for all. */
static ssize_t recv_all(struct thread *me, int fd, struct msghdr *msg, int flags)
{
	struct receiving r = { .op = op_init(me, fd, IO_READ), .whole = msg };
	size_t n = vec_bytes(msg->msg_iov, msg->msg_iovlen);
	struct msghdr last = *msg;	/* what the last piece came with */
	bool is_behind;			/* descriptors, with which the kernel's call ends, too */

	do {
		ssize_t got = recv_piece(&r, n - r.done, flags);

		if (got < 0 && !r.done)
			return got;
		if (got >= 0 && (got || !r.done))
			last = r.rest;
		if (got <= 0)
			break;
		r.done += (size_t)got;
		r.op.has_part = true;
		is_behind = io_type(fd) == IO_LOCAL && (r.rest.msg_flags & MSG_CTRUNC);
	} while (r.done < n && !is_behind && (!r.op.was_native || op_was_cut(&r.op)));
	msg->msg_flags = last.msg_flags;
	msg->msg_namelen = last.msg_namelen;
	return (ssize_t)r.done;
}

/* The same for recvfrom; false: it does not wait for all. */
static COLD bool recv_all_from(struct thread *me, int fd, struct msghdr *msg, int flags, socklen_t *size, ssize_t *ret_r)
{
	struct op op = op_init(me, fd, IO_READ);

	if (msg->msg_name)
		msg->msg_namelen = *size;
	if (!waits_for_all(&op, msg, flags))
		return false;
	*ret_r = recv_all(me, fd, msg, flags);
	if (*ret_r >= 0 && msg->msg_name)
		*size = msg->msg_namelen;
	return true;
}

static long try_recv(struct op *op, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *size)
{
	if (!from)
		return net_try_recv(op, buf, n, flags);
	return arch_syscall6(SYS_recvfrom, op->fd, (long)buf, (long)n, flags | MSG_DONTWAIT, (long)from,
			     (long)size);
}

EXPORT ssize_t recvfrom(int fd, void *buf, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *size)
{
	struct thread *me = io_parker();

	if (!me)
		return REAL(recvfrom)(fd, buf, n, flags, from, size);
	test_cancel();
	if (unlikely(is_kernels(fd, flags)))
		return IN_KERNEL(me, fd, flags, REAL(recvfrom)(fd, buf, n, flags, from, size));
	struct op op = op_init(me, fd, IO_READ);
	bool is_nonblocking = (flags & MSG_DONTWAIT) || op_is_nonblocking(&op);

	if (unlikely(flags & MSG_WAITALL)) {
		struct iovec v = { buf, n };
		struct msghdr msg = { .msg_name = from.__sockaddr__, .msg_iov = &v, .msg_iovlen = 1 };
		ssize_t r;

		if (recv_all_from(me, fd, &msg, flags, size, &r))
			return r;
	}

	return OP_READ(&op, flags & NO_PROOF ? 0 : n, is_nonblocking,
		       try_recv(&op, buf, n, flags, from.__sockaddr__, size),
		       REAL(recvfrom)(fd, buf, n, flags, from, size));
}

EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	return recvfrom(fd, buf, n, flags, (__SOCKADDR_ARG){ .__sockaddr__ = NULL }, NULL);
}

/* Descriptors that came with the message are new here. */
static void note_rights(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			int fd;

			memcpy(&fd, (char *)c + at, sizeof(fd));
			io_fresh(fd, IO_UNKNOWN);
		}
	}
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct thread *me = io_parker();
	ssize_t r;

	if (!me)
		return REAL(recvmsg)(fd, msg, flags);
	test_cancel();
	struct op op = op_init(me, fd, IO_READ);

	if (is_kernels(fd, flags)) {
		r = IN_KERNEL(me, fd, flags, REAL(recvmsg)(fd, msg, flags));
	} else if (unlikely(flags & MSG_WAITALL) && waits_for_all(&op, msg, flags)) {
		r = recv_all(me, fd, msg, flags);
	} else if (unlikely(flags & MSG_WAITALL) && is_stream(fd)) {
		r = IN_KERNEL(me, fd, flags, REAL(recvmsg)(fd, msg, flags));
	} else {
		bool is_nonblocking = (flags & MSG_DONTWAIT) || op_is_nonblocking(&op);

		r = OP_READ(&op, 0, is_nonblocking,
			    arch_syscall3(SYS_recvmsg, fd, (long)msg, flags | MSG_DONTWAIT),
			    REAL(recvmsg)(fd, msg, flags));
	}
	if (r >= 0 && msg->msg_controllen)
		note_rights(msg);
	return r;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned n, int flags, struct timespec *timeout)
{
	struct thread *me = io_parker();

	if (!me)
		return REAL(recvmmsg)(fd, msgs, n, flags, timeout);
	test_cancel();
	struct op op = op_init(me, fd, IO_READ);
	bool is_nonblocking = (flags & MSG_DONTWAIT) || op_is_nonblocking(&op);
	/* An error that follows a message waits for the next call: only the kernel can put it back. */
	bool may_wait_for_each = !(flags & MSG_WAITFORONE) && !is_nonblocking && n > 1;
	int r;

	if (may_wait_for_each || timeout || is_kernels(fd, flags))
		r = IN_KERNEL(me, fd, flags, REAL(recvmmsg)(fd, msgs, n, flags, timeout));
	else
		r = (int)OP_READ(&op, 0, is_nonblocking,
				 arch_syscall5(SYS_recvmmsg, fd, (long)msgs, n, flags | MSG_DONTWAIT, 0),
				 REAL(recvmmsg)(fd, msgs, n, flags, timeout));
	for (int i = 0; i < r; i++)
		if (msgs[i].msg_hdr.msg_controllen)
			note_rights(&msgs[i].msg_hdr);
	return r;
}

/*
 * Sending.  A blocking call on a stream writes all; the pieces after the first may not raise
 * SIGPIPE, since the call reports what it has written.
 */
struct sending {
	struct op op;
	size_t done, n;
	int flags;
	const struct sockaddr *to;
};

/* What counts calls, or makes the connection: in one call, the blocking one, which a signal of ours may cut short. */
enum { IN_ONE_CALL = MSG_FASTOPEN | MSG_ZEROCOPY };

/* One call for what is left: to the kernel, of so many bytes and without waiting; to libc. */
typedef long send_try(struct sending *s, size_t *ret_bytes);
typedef ssize_t send_libc(struct sending *s);

static inline bool is_all_sent(struct sending *s, long r)
{
	s->done += (size_t)r;
	if (likely(s->done >= s->n))
		return true;
	s->op.has_part = s->done;
	s->flags |= MSG_NOSIGNAL;
	if (io_type(s->op.fd) == IO_LOCAL)
		s->op.is_waiting = false;	/* there the kernel's time limit is that of each piece */
	return !is_stream(s->op.fd);
}

/*
 * A local datagram's room is with whom it is sent to, and poll speaks of the sender's own.  A time limit would begin
 * anew after signals of ours: bound, the thread is sent none.
 */
static bool only_kernel_waits(struct sending *s)
{
	if (!(s->flags & IN_ONE_CALL) && !(s->to && s->to->sa_family == AF_UNIX))
		return false;
	op_begin_wait(&s->op, now_ns());
	if (s->op.has_timeout)
		bind_self();
	return true;
}

static inline __attribute__((always_inline)) ssize_t send_all(struct sending *s, send_try *try, send_libc *libc)
{
	for (;;) {
		if (unlikely(s->done) && net_is_broken(s->op.fd)) {
			op_done(&s->op, 0, 0);
			break;
		}
		size_t bytes = 0;
		long r = unlikely(s->flags & IN_ONE_CALL) ? -EAGAIN : try(s, &bytes);

		if (likely(r >= 0)) {
			op_done(&s->op, r, bytes);
			if (is_all_sent(s, r))
				break;
			op_take(&s->op);
			continue;
		}
		if (r != -EAGAIN) {
			op_done(&s->op, r, 0);
			return s->done ? (ssize_t)s->done : answer(r);
		}
		bool is_kernels = only_kernel_waits(s);
		enum op_next next = is_kernels ? OP_NATIVE : op_wait(&s->op);

		if (next == OP_TRY)
			continue;
		if (next == OP_NATIVE)
			r = OP_BLOCK(&s->op, libc(s));
		else
			errno = s->op.err;
		if (next == OP_NATIVE && !is_kernels && unlikely(r < 0) && op_tries_again(&s->op))
			continue;
		if (next == OP_FAIL || r < 0)
			return s->done ? (ssize_t)s->done : -1;
		if (is_all_sent(s, r) || (s->flags & IN_ONE_CALL) || !op_was_cut(&s->op))
			break;
	}
	return (ssize_t)s->done;
}

struct sending_bytes {
	struct sending s;
	const char *bytes;
	socklen_t to_size;
};

static inline long try_bytes(struct sending *s, size_t *ret_bytes)
{
	struct sending_bytes *b = container_of(s, struct sending_bytes, s);

	*ret_bytes = s->n - s->done;
	return arch_syscall6(SYS_sendto, s->op.fd, (long)(b->bytes + s->done), (long)*ret_bytes,
			     s->flags | MSG_DONTWAIT, (long)s->to, b->to_size);
}

static ssize_t send_bytes(struct sending *s)
{
	struct sending_bytes *b = container_of(s, struct sending_bytes, s);

	return REAL(sendto)(s->op.fd, b->bytes + s->done, s->n - s->done, s->flags,
			    (__CONST_SOCKADDR_ARG){ .__sockaddr__ = s->to }, b->to_size);
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, __CONST_SOCKADDR_ARG to,
		      socklen_t size)
{
	struct thread *me = io_parker();

	if (!me || (flags & MSG_DONTWAIT))
		return written(me, REAL(sendto)(fd, buf, n, flags, to, size));
	test_cancel();
	struct op op = op_init(me, fd, IO_WRITE);

	if (op_is_nonblocking(&op))
		return written(me, REAL(sendto)(fd, buf, n, flags, to, size));
	struct sending_bytes b = { { op, 0, n, flags, to.__sockaddr__ }, buf, size };

	return written(me, send_all(&b.s, try_bytes, send_bytes));
}

/* write to a socket that is not known to be without waiting. */
ssize_t net_send(struct thread *me, int fd, const void *buf, size_t n)
{
	test_cancel();
	struct sending_bytes b = { { op_init(me, fd, IO_WRITE), 0, n, 0, NULL }, buf, 0 };

	return written(me, send_all(&b.s, try_bytes, send_bytes));
}

EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	return sendto(fd, buf, n, flags, (__CONST_SOCKADDR_ARG){ .__sockaddr__ = NULL }, 0);
}

struct sending_message {
	struct sending s;
	const struct msghdr *whole, *now;	/* now: what is left */
	struct msghdr rest;
	struct iovec iov[VEC_REST];
};

/* Control data goes with the first piece only. */
static inline void begin_piece(struct sending_message *m)
{
	m->now = m->whole;
	if (m->s.done) {
		m->rest = (struct msghdr){
			.msg_name = m->whole->msg_name, .msg_namelen = m->whole->msg_namelen, .msg_iov = m->iov,
			.msg_iovlen = vec_rest(m->whole->msg_iov, m->whole->msg_iovlen, m->s.done, m->iov),
		};
		m->now = &m->rest;
	}
}

static inline long try_message(struct sending *s, size_t *ret_bytes)
{
	struct sending_message *m = container_of(s, struct sending_message, s);

	begin_piece(m);
	*ret_bytes = vec_bytes(m->now->msg_iov, m->now->msg_iovlen);
	return arch_syscall3(SYS_sendmsg, s->op.fd, (long)m->now, s->flags | MSG_DONTWAIT);
}

static ssize_t send_message(struct sending *s)
{
	struct sending_message *m = container_of(s, struct sending_message, s);

	begin_piece(m);
	return REAL(sendmsg)(s->op.fd, m->now, s->flags);
}

ssize_t net_sendmsg(struct thread *me, int fd, const struct msghdr *msg, int flags)
{
	struct sending_message m;

	m.s = (struct sending){ op_init(me, fd, IO_WRITE), 0, vec_bytes(msg->msg_iov, msg->msg_iovlen), flags,
				msg->msg_name };
	m.whole = msg;
	return written(me, send_all(&m.s, try_message, send_message));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct thread *me = io_parker();

	if (!me || (flags & MSG_DONTWAIT))
		return written(me, REAL(sendmsg)(fd, msg, flags));
	test_cancel();
	if (io_is_nonblocking(fd, io_known(fd)))
		return written(me, REAL(sendmsg)(fd, msg, flags));
	return net_sendmsg(me, fd, msg, flags);
}

/*
 * Some datagrams of many were sent without waiting.  Was it for an error that the rest were not, which the kernel has taken
 * off the socket with that, and tells nobody of?  There is room then; but local ones wait for room elsewhere.
 */
static COLD bool ended_by_error(struct thread *me, int fd)
{
	struct op op = op_init(me, fd, IO_WRITE);
	int domain = AF_UNIX;
	socklen_t size = sizeof(domain);

	arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, (long)&domain, (long)&size);
	return domain != AF_UNIX && op_is_ready(&op);
}

/*
 * Datagrams as many as there is room for, all others message by message, until one goes in part only: what follows is not
 * to stand behind a part.
 */
EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned n, int flags)
{
	struct thread *me = io_parker();

	if (!me || (flags & MSG_DONTWAIT) || io_is_nonblocking(fd, io_known(fd)))
		return (int)written(me, REAL(sendmmsg)(fd, msgs, n, flags));
	test_cancel();
	n = n < UIO_MAXIOV ? n : UIO_MAXIOV;
	long sent = type_of(fd) == IO_MESSAGE && !(flags & (MSG_ZEROCOPY | MSG_FASTOPEN)) ?
		LOOK(me, arch_syscall4(SYS_sendmmsg, fd, (long)msgs, n, flags | MSG_DONTWAIT)) : 0;

	if (sent < 0 && sent != -EAGAIN)
		return (int)written(me, answer(sent));
	if (sent > 0 && sent < (long)n && ended_by_error(me, fd))
		return (int)sent;
	for (unsigned i = sent > 0 ? (unsigned)sent : 0; i < n; i++) {
		ssize_t r = net_sendmsg(me, fd, &msgs[i].msg_hdr, flags);

		if (r < 0)
			return i ? (int)i : -1;
		msgs[i].msg_len = (unsigned)r;
		if ((size_t)r < vec_bytes(msgs[i].msg_hdr.msg_iov, msgs[i].msg_hdr.msg_iovlen))
			return (int)i + 1;
	}
	return (int)n;
}

/* Where it does not, accept fails at once; or the kernel knows better, as of Bluetooth's sockets. */
static bool listens(int fd)
{
	int value = 0;
	socklen_t size = sizeof(value);

	if (io_notes(fd) & IO_LISTENS)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) || !value)
		return false;
	io_note(fd, IO_LISTENS, 0);
	return true;
}

/*
 * There is no accept that does not block but by O_NONBLOCK on the listener: so poll first.  If
 * another process is quicker, the call blocks and is an upcall.
 */
EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *size, int flags)
{
	struct thread *me = io_parker();
	int conn;

	if (!me || (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)))
		return REAL(accept4)(fd, addr, size, flags);
	test_cancel();
	struct op op = op_init(me, fd, IO_READ);
	enum io_type type = io_type(fd) > IO_SOCKET ? io_type(fd) : fd_socket_type(fd);	/* fd may be closed by then */
	__attribute__((cleanup(op_give_on), unused)) struct op *held = &op;	/* accept4 may be cancelled */

	if (op_is_nonblocking(&op)) {
		conn = REAL(accept4)(fd, addr, size, flags);
	} else {
		bool may_try = op_take(&op), is_blocking;

		do {
			is_blocking = false;
			while (!is_blocking && (!may_try || !op_is_ready(&op))) {
				enum op_next next = listens(fd) ? op_wait(&op) : OP_NATIVE;

				may_try = true;
				if (next == OP_FAIL) {
					errno = op.err;
					return -1;
				}
				is_blocking = next == OP_NATIVE;
			}
			conn = is_blocking ? OP_BLOCK(&op, REAL(accept4)(fd, addr, size, flags)) :
					     REPEAT_VAIN(me, !op.has_timeout, REAL(accept4)(fd, addr, size, flags));
		} while (conn < 0 && op_tries_again(&op));
		op_done(&op, conn, 0);
	}
	if (conn >= 0) {
		io_fresh(conn, type);
		if (flags & SOCK_NONBLOCK)
			io_note_mode(conn, true, io_mode_epoch(true));
	}
	return conn;
}

EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *size)
{
	return accept4(fd, addr, size, 0);
}

/*
 * Made again, it goes on with what it began, or tells how that ended: EALREADY where it has not, by its time limit.
 * A local one begins as a whole, and with a limit the thread is bound, so that signals of ours end it once only.
 */
static int connect_again(struct op *op, __CONST_SOCKADDR_ARG addr, socklen_t size, uint64_t since, bool is_local)
{
	int err;

	op_begin_wait(op, since);
	do {
		if (is_local && op->has_timeout) {
			bind_self();
		} else if (op->has_timeout && op_wait_in_kernel(op) != OP_TRY) {
			errno = op->err == EAGAIN ? EINPROGRESS : op->err;
			return -1;
		}
		op->me->call_end = END_UNKNOWN;
		err = BLOCK(op->me, REAL(connect)(op->fd, addr, size));
	} while (err && errno == EINTR && was_vain(op->me, op->handlers));
	return err;
}

/* A local one waits only where too many do, and is no block as a rule. */
EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t size)
{
	struct thread *me = io_parker();

	if (!me || !addr.__sockaddr__ || io_is_nonblocking(fd, io_known(fd)))
		return REAL(connect)(fd, addr, size);
	struct op op = op_init(me, fd, IO_WRITE);
	bool is_local = addr.__sockaddr__->sa_family == AF_UNIX;
	uint64_t since = now_ns();

	me->call_end = END_UNKNOWN;
	int err = is_local ? REAL(connect)(fd, addr, size) : BLOCK(me, REAL(connect)(fd, addr, size));

	if (unlikely(err && errno == EINTR && was_vain(me, op.handlers)))
		err = connect_again(&op, addr, size, since, is_local);
	return err;
}

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level == SOL_SOCKET && name == SO_RCVLOWAT)
		store_relaxed(&uses_low_water, 1);
	if (level == SOL_SOCKET && name == SO_PEEK_OFF)
		store_relaxed(&uses_peek_off, 1);
	if (level == IPPROTO_TCP && name == TCP_ULP)
		fetch_or(&io_doubts, IO_DOUBT_TCP);		/* records */
	int err = REAL(setsockopt)(fd, level, name, value, size);

	if (!sched_is_started || err)
		return err;
	if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO))
		io_timeout_changed(fd, name == SO_RCVTIMEO ? IO_READ : IO_WRITE);
	/* With a higher mark poll may have said that there is nothing, of what is enough now. */
	if (level == SOL_SOCKET && name == SO_RCVLOWAT && io_parker())
		io_put(fd, IO_READ);
	return err;
}

EXPORT int socket(int domain, int type, int protocol)
{
	int fd = REAL(socket)(domain, type, protocol);

	if (fd >= 0 && fd_keeps_book()) {
		io_fresh(fd, IO_SOCKET);
		if (type & SOCK_NONBLOCK)
			io_note_mode(fd, true, io_mode_epoch(true));
	}
	return fd;
}

EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int err = REAL(socketpair)(domain, type, protocol, fds);

	for (int i = 0; !err && i < 2 && fd_keeps_book(); i++) {
		io_fresh(fds[i], IO_SOCKET);
		if (type & SOCK_NONBLOCK)
			io_note_mode(fds[i], true, io_mode_epoch(true));
	}
	return err;
}

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	return n > room ? REAL(__recv_chk)(fd, buf, n, room, flags) : recv(fd, buf, n, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags,
			      __SOCKADDR_ARG from, socklen_t *size)
{
	return n > room ? REAL(__recvfrom_chk)(fd, buf, n, room, flags, from, size) :
			  recvfrom(fd, buf, n, flags, from, size);
}

ALIAS(__connect, connect);
ALIAS(__send, send);

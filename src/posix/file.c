// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that simply block in the kernel, long as a rule: the vproc is offered to others at once.
 * Every other call that blocks is found out by the upcall source a few microseconds later.
 */
#include "block.h"

#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../sched/vproc.h"
#include "alias.h"
#include "bind.h"

enum { SEM_OPS_TRIED = 8 };

/* `when`: a call that may block; the other never does. */
#define BLOCKING(when, type, name, params, args) \
	EXPORT type name params \
	{ \
		struct thread *me_ = (when) ? io_parker() : NULL; \
	\
		return me_ ? (type)written(me_, BLOCK_INTR(me_, REAL(name) args)) : REAL(name) args; \
	}

BLOCKING(true, int, fsync, (int fd), (fd))
BLOCKING(true, int, fdatasync, (int fd), (fd))
BLOCKING(true, int, syncfs, (int fd), (fd))
BLOCKING(flags & MS_SYNC, int, msync, (void *addr, size_t n, int flags), (addr, n, flags))
BLOCKING(true, int, tcdrain, (int fd), (fd))
BLOCKING(!(op & LOCK_NB), int, flock, (int fd, int op), (fd, op))
BLOCKING(cmd == F_LOCK, int, lockf, (int fd, int cmd, off_t n), (fd, cmd, n))
BLOCKING(cmd == F_LOCK, int, lockf64, (int fd, int cmd, off64_t n), (fd, cmd, n))

BLOCKING(!(options & WNOHANG), pid_t, waitpid, (pid_t pid, int *status, int options),
	 (pid, status, options))
BLOCKING(true, pid_t, wait, (int *status), (status))
BLOCKING(!(options & WNOHANG), pid_t, wait3, (int *status, int options, struct rusage *usage),
	 (status, options, usage))
BLOCKING(!(options & WNOHANG), pid_t, wait4,
	 (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage))
BLOCKING(!(options & WNOHANG), int, waitid,
	 (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options))

BLOCKING(true, ssize_t, mq_receive, (mqd_t mq, char *msg, size_t n, unsigned *prio),
	 (mq, msg, n, prio))
BLOCKING(true, ssize_t, mq_timedreceive,
	 (mqd_t mq, char *restrict msg, size_t n, unsigned *restrict prio,
	  const struct timespec *restrict until), (mq, msg, n, prio, until))
BLOCKING(true, int, mq_send, (mqd_t mq, const char *msg, size_t n, unsigned prio),
	 (mq, msg, n, prio))
BLOCKING(true, int, mq_timedsend,
	 (mqd_t mq, const char *msg, size_t n, unsigned prio, const struct timespec *until),
	 (mq, msg, n, prio, until))

BLOCKING(!(flags & SPLICE_F_NONBLOCK), ssize_t, splice,
	 (int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags),
	 (in, in_at, out, out_at, n, flags))
BLOCKING(!(flags & SPLICE_F_NONBLOCK), ssize_t, tee, (int in, int out, size_t n, unsigned flags),
	 (in, out, n, flags))
BLOCKING(!(flags & SPLICE_F_NONBLOCK), ssize_t, vmsplice,
	 (int fd, const struct iovec *v, size_t n, unsigned flags), (fd, v, n, flags))

/* Where it is known to have an end. */
static bool is_at_end(int fd, const off64_t *at)
{
	struct stat st;
	long place = at ? *at : arch_syscall3(SYS_lseek, fd, 0, SEEK_CUR);

	return !arch_syscall2(SYS_fstat, fd, (long)&st) && st.st_size > 0 && place >= st.st_size;
}

/* Where a limit of sizes is what ended it, to go on would be a signal. */
static bool copy_was_cut(int in, const off64_t *at)
{
	struct rlimit limit;

	return !is_at_end(in, at) && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur == RLIM_INFINITY;
}

EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags)
{
	struct thread *me = io_parker();
	size_t done = 0;
	ssize_t r;

	if (!me)
		return REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
	uint64_t before = handlers_run(me);

	do {
		r = BLOCK_INTR(me, REAL(copy_file_range)(in, in_at, out, out_at, n - done, flags));
		if (r > 0)
			done += (size_t)r;
	} while (r > 0 && done < n && handlers_run(me) == before && copy_was_cut(in, in_at));
	return done ? (ssize_t)done : written(me, r);
}

/* sendfile ended with r, short.  Was that a signal of ours, so that the rest is to follow as if nothing had been? */
static bool send_was_cut(struct op *op, ssize_t r, int in, const off64_t *at)
{
	bool was_limited = op->has_timeout;

	op->has_timeout = false;
	if (r > 0 ? fd_type(in) != IO_FILE || is_at_end(in, at) || !op_was_cut(op) || net_is_broken(op->fd) :
		    r == 0 || errno != EINTR || !was_limited || !was_vain(op->me, op->handlers))
		return false;
	if (was_limited)
		bind_self();		/* the kernel's limit begins anew: not a second time */
	return true;
}

EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t n)
{
	struct thread *me = io_parker();
	size_t done = 0;
	ssize_t r;

	if (!me || io_is_nonblocking(out, io_known(out)))
		return written(me, REAL(sendfile64)(out, in, at, n));
	struct op op = op_init(me, out, IO_WRITE);

	op_begin_wait(&op, 0);
	do {
		r = OP_BLOCK(&op, REAL(sendfile64)(out, in, at, n - done));
		if (r > 0)
			done += (size_t)r;
	} while (done < n && send_was_cut(&op, r, in, at));
	return done ? (ssize_t)done : written(me, r);
}

EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
	_Static_assert(sizeof(off_t) == sizeof(off64_t), "one call for both");
	return sendfile64(out, in, at, n);
}

static long or_removed(long r)
{
	if (r == -1 && errno == EINVAL)		/* it was there a moment ago: between the two tries, or to a signal of ours */
		errno = EIDRM;
	return r;
}

/*
 * Calls between threads as well as between processes: they are tried without blocking, and once more
 * after other threads had their turn, since who is waited for may be one of them.  BUSY says that the
 * call would block.
 */
#define BLOCK_AFTER_OTHERS(me, BUSY, TRY_CALL, KERNELS_CALL) \
	({ \
		long tried_ = (TRY_CALL); \
		if (tried_ == -(BUSY) && !sched_is_alone(me)) { \
			sched_yield(); \
			tried_ = (TRY_CALL); \
		} \
		tried_ == -(BUSY) ? or_removed(KERNELS_CALL) : answer(tried_); \
	})

EXPORT ssize_t msgrcv(int id, void *msg, size_t n, long type, int flags)
{
	struct thread *me = flags & IPC_NOWAIT ? NULL : io_waiter();

	if (!me)
		return REAL(msgrcv)(id, msg, n, type, flags);
	test_cancel();
	return BLOCK_AFTER_OTHERS(me, ENOMSG,
				  arch_syscall5(SYS_msgrcv, id, (long)msg, (long)n, type, flags | IPC_NOWAIT),
				  BLOCK_INTR(me, REAL(msgrcv)(id, msg, n, type, flags)));
}

EXPORT int msgsnd(int id, const void *msg, size_t n, int flags)
{
	struct thread *me = flags & IPC_NOWAIT ? NULL : io_waiter();

	if (!me)
		return REAL(msgsnd)(id, msg, n, flags);
	test_cancel();
	return (int)BLOCK_AFTER_OTHERS(me, EAGAIN,
				       arch_syscall4(SYS_msgsnd, id, (long)msg, (long)n, flags | IPC_NOWAIT),
				       BLOCK_INTR(me, REAL(msgsnd)(id, msg, n, flags)));
}

/* False: too many, or the program itself wants some of them not to block. */
static bool without_waiting(const struct sembuf *ops, size_t n, struct sembuf *ret_ops)
{
	if (n > SEM_OPS_TRIED)
		return false;
	for (size_t i = 0; i < n; i++) {
		ret_ops[i] = ops[i];
		if (ops[i].sem_flg & IPC_NOWAIT)
			return false;
		ret_ops[i].sem_flg |= IPC_NOWAIT;
	}
	return true;
}

static struct timespec time_until(uint64_t end_ns)
{
	uint64_t now = now_ns(), ns = end_ns > now ? end_ns - now : 0;

	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static bool is_span(const struct timespec *t)
{
	return t && t->tv_sec >= 0 && (unsigned long)t->tv_nsec < NS_PER_S;
}

/* Handlers end it whatever their flags; a signal of ours does not, and what time is left then counts. */
static int semtimedop_in_kernel(struct thread *me, int id, struct sembuf *ops, size_t n, const struct timespec *timeout)
{
	if (!is_span(timeout))
		return BLOCK_INTR(me, REAL(semtimedop)(id, ops, n, timeout));
	uint64_t end_ns = ns_after(now_ns(), ns_from_timespec(timeout));
	struct timespec left;

	return BLOCK_INTR(me, (left = time_until(end_ns), REAL(semtimedop)(id, ops, n, &left)));
}

EXPORT int semtimedop(int id, struct sembuf *ops, size_t n, const struct timespec *timeout)
{
	struct sembuf tried[SEM_OPS_TRIED];
	struct thread *me = io_waiter();

	if (!me)
		return REAL(semtimedop)(id, ops, n, timeout);
	if (!without_waiting(ops, n, tried))
		return semtimedop_in_kernel(me, id, ops, n, timeout);
	return (int)BLOCK_AFTER_OTHERS(me, EAGAIN,
				       arch_syscall4(SYS_semtimedop, id, (long)tried, (long)n, (long)timeout),
				       semtimedop_in_kernel(me, id, ops, n, timeout));
}

/* Without a limit the C library's own wait goes on by itself after a signal of ours. */
EXPORT int aio_suspend(const struct aiocb *const list[], int n, const struct timespec *timeout)
{
	struct thread *me = is_span(timeout) ? io_waiter() : NULL;

	if (!me)
		return REAL(aio_suspend)(list, n, timeout);
	uint64_t end_ns = ns_after(now_ns(), ns_from_timespec(timeout));
	struct timespec left;

	return BLOCK_INTR(me, (left = time_until(end_ns), REAL(aio_suspend)(list, n, &left)));
}

EXPORT int aio_suspend64(const struct aiocb64 *const list[], int n, const struct timespec *timeout)
{
	return aio_suspend((const struct aiocb *const *)list, n, timeout);
}

/* An answer of gai_suspend as one of the others. */
static int failed_by_errno(int err)
{
	if (err != EAI_INTR)
		return err;
	errno = EINTR;
	return -1;
}

EXPORT int gai_suspend(const struct gaicb *const list[], int n, const struct timespec *timeout)
{
	struct thread *me = is_span(timeout) ? io_waiter() : NULL;

	if (!me)
		return REAL(gai_suspend)(list, n, timeout);
	uint64_t end_ns = ns_after(now_ns(), ns_from_timespec(timeout));
	struct timespec left;
	int err = BLOCK_INTR(me, (left = time_until(end_ns), failed_by_errno(REAL(gai_suspend)(list, n, &left))));

	return err == -1 ? EAI_INTR : err;
}

EXPORT int semop(int id, struct sembuf *ops, size_t n)
{
	return semtimedop(id, ops, n, NULL);
}

EXPORT void sync(void)
{
	struct thread *me = io_parker();

	if (me)
		sched_begin_block(me);
	REAL(sync)();
	if (me)
		sched_end_block(me);
}

ALIAS(__wait, wait);
ALIAS(__waitpid, waitpid);

EXPORT int mq_notify(mqd_t mq, const struct sigevent *event)
{
	clerk_keep_queues();
	return REAL(mq_notify)(mq, event);
}

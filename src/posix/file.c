// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that simply block in the kernel, long as a rule: the vproc is offered to others at once.
 * Every other call that blocks is found out by the upcall source a few microseconds later.
 */
#include "block.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "alias.h"

/* `when`: a call that may block; the other never does.  How: BLOCK, or BLOCK_INTR where the call
 * fails with EINTR in spite of SA_RESTART. */
#define BLOCKING(how, when, type, name, params, args) \
	EXPORT type name params \
	{ \
		struct thread *me_ = (when) ? io_parker() : NULL; \
	\
		return me_ ? how(me_, REAL(name) args) : REAL(name) args; \
	}

BLOCKING(BLOCK, true, int, fsync, (int fd), (fd))
BLOCKING(BLOCK, true, int, fdatasync, (int fd), (fd))
BLOCKING(BLOCK, true, int, syncfs, (int fd), (fd))
BLOCKING(BLOCK, flags & MS_SYNC, int, msync, (void *addr, size_t n, int flags), (addr, n, flags))
BLOCKING(BLOCK, true, int, tcdrain, (int fd), (fd))
BLOCKING(BLOCK, !(op & LOCK_NB), int, flock, (int fd, int op), (fd, op))
BLOCKING(BLOCK, cmd == F_LOCK, int, lockf, (int fd, int cmd, off_t n), (fd, cmd, n))
BLOCKING(BLOCK, cmd == F_LOCK, int, lockf64, (int fd, int cmd, off64_t n), (fd, cmd, n))

BLOCKING(BLOCK, !(options & WNOHANG), pid_t, waitpid, (pid_t pid, int *status, int options),
	 (pid, status, options))
BLOCKING(BLOCK, true, pid_t, wait, (int *status), (status))
BLOCKING(BLOCK, !(options & WNOHANG), pid_t, wait3, (int *status, int options, struct rusage *usage),
	 (status, options, usage))
BLOCKING(BLOCK, !(options & WNOHANG), pid_t, wait4,
	 (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage))
BLOCKING(BLOCK, !(options & WNOHANG), int, waitid,
	 (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options))

BLOCKING(BLOCK_INTR, !(flags & IPC_NOWAIT), ssize_t, msgrcv,
	 (int id, void *msg, size_t n, long type, int flags), (id, msg, n, type, flags))
BLOCKING(BLOCK_INTR, !(flags & IPC_NOWAIT), int, msgsnd,
	 (int id, const void *msg, size_t n, int flags), (id, msg, n, flags))
BLOCKING(BLOCK_INTR, true, int, semop, (int id, struct sembuf *ops, size_t n), (id, ops, n))
BLOCKING(BLOCK_INTR, true, int, semtimedop,
	 (int id, struct sembuf *ops, size_t n, const struct timespec *timeout), (id, ops, n, timeout))

BLOCKING(BLOCK, true, ssize_t, mq_receive, (mqd_t mq, char *msg, size_t n, unsigned *prio),
	 (mq, msg, n, prio))
BLOCKING(BLOCK, true, ssize_t, mq_timedreceive,
	 (mqd_t mq, char *restrict msg, size_t n, unsigned *restrict prio,
	  const struct timespec *restrict until), (mq, msg, n, prio, until))
BLOCKING(BLOCK, true, int, mq_send, (mqd_t mq, const char *msg, size_t n, unsigned prio),
	 (mq, msg, n, prio))
BLOCKING(BLOCK, true, int, mq_timedsend,
	 (mqd_t mq, const char *msg, size_t n, unsigned prio, const struct timespec *until),
	 (mq, msg, n, prio, until))

BLOCKING(BLOCK, true, ssize_t, sendfile, (int out, int in, off_t *at, size_t n), (out, in, at, n))
BLOCKING(BLOCK, true, ssize_t, sendfile64, (int out, int in, off64_t *at, size_t n), (out, in, at, n))
BLOCKING(BLOCK, !(flags & SPLICE_F_NONBLOCK), ssize_t, splice,
	 (int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags),
	 (in, in_at, out, out_at, n, flags))
BLOCKING(BLOCK, !(flags & SPLICE_F_NONBLOCK), ssize_t, tee, (int in, int out, size_t n, unsigned flags),
	 (in, out, n, flags))
BLOCKING(BLOCK, !(flags & SPLICE_F_NONBLOCK), ssize_t, vmsplice,
	 (int fd, const struct iovec *v, size_t n, unsigned flags), (fd, v, n, flags))
BLOCKING(BLOCK, true, ssize_t, copy_file_range,
	 (int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags),
	 (in, in_at, out, out_at, n, flags))

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

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Descriptors come and go: what is remembered of one must not outlive it.  And the runtime's own
 * are not to be closed by a program that closes all it can.
 *
 * Whatever libc closes or makes unseen is put right where its number turns up again (io_fresh).
 */
#include "block.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../sys/numbers.h"
#include "../sys/sys.h"
#include "alias.h"
#include "bind.h"
#include "fd.h"

bool fd_keeps_book(void)
{
	struct thread *me;

	if (!sched_is_started)
		return false;
	me = self_ptr;
	return !me || (!me->posix[POSIX_IN_VFORK] && !me->in_rt && !(bind_how_apart() & PF_OWN_FILES));
}

static int fresh(int fd)
{
	if (fd >= 0 && fd_keeps_book())
		io_fresh(fd, IO_UNKNOWN);
	return fd;
}

bool fd_release(int fd)
{
	if (!fd_keeps_book())
		return true;
	if (unlikely(io_is_ours(fd)))
		return false;
	io_close_begin(fd);
	return true;
}

void fd_released(int fd)
{
	if (fd >= 0 && fd_keeps_book())
		io_close_end(fd);
}

/* A cleanup: close and fclose may be cancelled. */
static void end_close(int *fd)
{
	fd_released(*fd);
}

EXPORT int close(int fd)
{
	if (fd_release(fd)) {
		__attribute__((cleanup(end_close), unused)) int closing = fd;

		return REAL(close)(fd);
	}
	errno = EBADF;
	return -1;
}

/* Where dup2 and dup3 may put another file: what they say of the runtime's own is what the kernel says of one that
 * somebody else is about to get. */
bool fd_may_replace(int from, int to, int flags)
{
	if (from == to || (flags & ~O_CLOEXEC) || arch_syscall2(SYS_fcntl, from, F_GETFD) < 0 || fd_release(to))
		return true;
	errno = EBUSY;
	return false;
}

EXPORT int dup2(int from, int to)
{
	int fd = fd_may_replace(from, to, 0) ? REAL(dup2)(from, to) : -1;

	fd_released(to);
	return fd;
}

EXPORT int dup3(int from, int to, int flags)
{
	int fd = fd_may_replace(from, to, flags) ? REAL(dup3)(from, to, flags) : -1;

	fd_released(to);
	return fd;
}

EXPORT int dup(int fd)
{
	return fresh(REAL(dup)(fd));
}

/* As such: a program that does it by number may have a libc without the function. */
static int close_some(unsigned from, unsigned to, int flags)
{
	return (int)answer(arch_syscall3(SYS_close_range, from, to, flags));
}

/* In a table of descriptors that is the calling thread's own from now on. */
static int close_in_own(unsigned from, unsigned to, int flags)
{
	errno = bind_self();
	if (errno || close_some(from, to, flags))
		return -1;
	bind_apart(PF_APART | PF_OWN_FILES);
	return 0;
}

/* In pieces, round our own. */
EXPORT int close_range(unsigned from, unsigned to, int flags)
{
	int ours;

	if (flags & CLOSE_RANGE_UNSHARE)
		return close_in_own(from, to, flags);
	if (!fd_keeps_book() || from > to || flags)
		return close_some(from, to, flags);
	io_forget_range(from, to);
	while (from <= INT32_MAX && (ours = io_next_ours((int)from)) >= 0 && (unsigned)ours <= to) {
		if ((unsigned)ours > from && close_some(from, (unsigned)ours - 1, 0))
			return -1;
		from = (unsigned)ours + 1;
	}
	return from <= to ? close_some(from, to, 0) : 0;
}

EXPORT void closefrom(int from)
{
	int ours;

	if (!fd_keeps_book()) {
		REAL(closefrom)(from);
		return;
	}
	from = from < 0 ? 0 : from;
	io_forget_range((unsigned)from, UINT32_MAX);
	while ((ours = io_next_ours(from)) >= 0) {
		if (ours > from && close_some((unsigned)from, (unsigned)ours - 1, 0) && errno == ENOSYS)
			for (int fd = from; fd < ours; fd++)
				REAL(close)(fd);
		from = ours + 1;
	}
	REAL(closefrom)(from);
}

/* libc's stdio closes by itself.  -1: there is nothing to forget. */
static int stream_fd(FILE *f)
{
	int saved_errno = errno, fd = f && fd_keeps_book() ? fileno(f) : -1;

	errno = saved_errno;
	return fd;
}

EXPORT int fclose(FILE *f)
{
	__attribute__((cleanup(end_close), unused)) int fd = stream_fd(f);

	if (fd >= 0)
		io_close_begin(fd);
	return REAL(fclose)(f);
}

EXPORT int pclose(FILE *f)
{
	struct thread *me = io_parker();
	int fd = stream_fd(f);

	if (fd >= 0)
		io_forget(fd);
	return me ? BLOCK(me, REAL(pclose)(f)) : REAL(pclose)(f);
}

/* What was forgotten before is so again: the number is as a rule the same, and others may have seen the old file last. */
#define REOPEN(call, f) \
	({ \
		int fd_ = stream_fd(f); \
	\
		if (fd_ >= 0) \
			io_forget(fd_); \
		FILE *opened_ = (call); \
	\
		fresh(fd_); \
		fresh(stream_fd(opened_)); \
		opened_; \
	})

EXPORT FILE *freopen(const char *path, const char *mode, FILE *f)
{
	return REOPEN(REAL(freopen)(path, mode, f), f);
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *f)
{
	return REOPEN(REAL(freopen64)(path, mode, f), f);
}

EXPORT int mq_close(mqd_t mq)
{
	if (!fd_release((int)mq)) {
		errno = EBADF;
		return -1;
	}
	int err = REAL(mq_close)(mq);

	fd_released((int)mq);
	return err;
}

/* `epoch`: as it was before. */
static void note_mode(int fd, bool is_nonblocking, uint32_t epoch)
{
	if (!fd_keeps_book())
		return;
	io_mode_changed(is_nonblocking);
	if (is_nonblocking)
		io_note_mode(fd, true, epoch);
}

/* A thread that is to get a descriptor's signals gets a kernel thread for it. */
static int set_owner(int fd, const struct f_owner_ex *owner)
{
	struct f_owner_ex o;

	if (sys_read_own(&o, (uintptr_t)owner, sizeof(o)))
		return REAL(fcntl)(fd, F_SETOWN_EX, owner);
	if (o.type == F_OWNER_TID && o.pid > 0 && (o.pid = bind_for_kernel(o.pid)) < 0) {
		errno = EAGAIN;
		return -1;
	}
	return REAL(fcntl)(fd, F_SETOWN_EX, &o);
}

static int get_owner(int fd, struct f_owner_ex *owner)
{
	int r = REAL(fcntl)(fd, F_GETOWN_EX, owner);

	if (!r && owner->type == F_OWNER_TID)
		owner->pid = bind_number_of(owner->pid);
	return r;
}

/* As libc asks the kernel: the number of a process group is negative. */
static int get_owner_number(int fd)
{
	struct f_owner_ex o;
	int r = get_owner(fd, &o);

	return r ? r : o.type == F_OWNER_PGRP ? -o.pid : o.pid;
}

/*
 * Who asks for a lease, or for notes about a directory, is made the descriptor's owner where there is none.  To the kernel
 * that is the kernel thread, by whose number it finds the process, as long as there is one of that number.
 */
static int own_by_process(int fd, int cmd, long arg)
{
	int owner = REAL(fcntl)(fd, F_GETOWN), r = REAL(fcntl)(fd, cmd, arg);

	if (!r && owner == 0 && sched_is_started)
		REAL(fcntl)(fd, F_SETOWN, sys_getpid());
	return r;
}

static int do_fcntl(int fd, int cmd, long arg)
{
	struct thread *me;
	uint32_t epoch;
	int r;

	switch (cmd) {
	case F_SETLKW:
	case F_OFD_SETLKW:
		me = io_parker();
		return me ? BLOCK_INTR(me, REAL(fcntl)(fd, cmd, arg)) : REAL(fcntl)(fd, cmd, arg);
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return fresh(REAL(fcntl)(fd, cmd, arg));
	case F_SETFL:
		if (arg & O_DIRECT)		/* perhaps a pipe of packets */
			fetch_or(&io_doubts, IO_DOUBT_PIPE);
		epoch = io_mode_epoch(true);
		r = REAL(fcntl)(fd, cmd, arg);
		if (!r && sched_is_started)
			note_mode(fd, arg & O_NONBLOCK, epoch);
		return r;
	case F_SETLEASE:
	case F_NOTIFY:
		return own_by_process(fd, cmd, arg);
	case F_SETOWN:
		return REAL(fcntl)(fd, cmd, (long)posix_process_of((int)arg));
	case F_SETOWN_EX:
		return set_owner(fd, (const void *)arg);
	case F_GETOWN_EX:
		return get_owner(fd, (void *)arg);
	case F_GETOWN:
		return get_owner_number(fd);
	default:
		return REAL(fcntl)(fd, cmd, arg);
	}
}

EXPORT int fcntl(int fd, int cmd, ...)
{
	va_list ap;

	va_start(ap, cmd);
	long arg = va_arg(ap, long);

	va_end(ap);
	return do_fcntl(fd, cmd, arg);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;

	va_start(ap, request);
	void *arg = va_arg(ap, void *);

	va_end(ap);
	bool is_read = (request == FIOSETOWN || request == SIOCSPGRP) && !load_relaxed(&sched_is_confined);
	uint32_t epoch = io_mode_epoch(true);
	int owner, r;

	if (is_read && !sys_read_own(&owner, (uintptr_t)arg, sizeof(owner))) {
		owner = posix_process_of(owner);
		arg = &owner;
	}
	r = REAL(ioctl)(fd, request, arg);

	if (request == FIONBIO && !r && sched_is_started)
		note_mode(fd, *(int *)arg != 0, epoch);
	return r;
}

EXPORT int pipe2(int fds[2], int flags)
{
	int err = REAL(pipe2)(fds, flags);

	for (int i = 0; !err && i < 2; i++)
		fresh(fds[i]);
	if (!err && !(flags & O_DIRECT))
		fd_made_pipe(fds[0]);
	return err;
}

EXPORT int pipe(int fds[2])
{
	int err = REAL(pipe)(fds);

	for (int i = 0; !err && i < 2; i++)
		fresh(fds[i]);
	if (!err)
		fd_made_pipe(fds[0]);
	return err;
}

EXPORT int eventfd(unsigned value, int flags)
{
	return fresh(REAL(eventfd)(value, flags));
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
	return fresh(REAL(timerfd_create)(clock, flags));
}

ALIAS(__close, close);
ALIAS(__dup2, dup2);
ALIAS(__fcntl, fcntl);
ALIAS(fcntl64, fcntl);
ALIAS(__pipe, pipe);

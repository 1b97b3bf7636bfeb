// SPDX-License-Identifier: BSD-2-Clause
/* What kind of file a descriptor is: asked of the kernel once, then remembered. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "../arch/arch.h"
#include "slot.h"

struct au32 io_doubts;
uint32_t io_notes_of_all;

void io_allow_nowait(bool is_allowed)
{
	io_notes_of_all = is_allowed ? 0 : IO_NO_NOWAIT_READ | IO_NO_NOWAIT_WRITE;
}

/* /dev/null, zero, full, urandom: as little as a file is there anything to wait for. */
static bool is_endless(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) < 10 && minor(st->st_rdev) % 2 == 1;
}

/*
 * The pipes that this process has made, by device and inode, each where its inode says.  One whose place a later one took is
 * as one that another process has made.  One that is gone may stay: the kernel gives its number out again four billion later.
 */
enum { OWN_PIPES = 1024 };
static struct au64 own_pipes[OWN_PIPES];
static struct au32 own_readers[OWN_PIPES];	/* the end to read from that it was made with; a hint */

static uint64_t pipe_name(const struct stat *st)
{
	return (uint64_t)st->st_dev << 32 | (uint32_t)st->st_ino;
}

static bool is_own_pipe(const struct stat *st)
{
	return load_relaxed(&own_pipes[st->st_ino % OWN_PIPES]) == pipe_name(st);	/* whoever has a descriptor of it came after */
}

void fd_made_pipe(int fd)
{
	struct stat st;

	if (arch_syscall2(SYS_fstat, fd, (long)&st))
		return;
	store_relaxed(&own_readers[st.st_ino % OWN_PIPES], (uint32_t)fd);
	store_relaxed(&own_pipes[st.st_ino % OWN_PIPES], pipe_name(&st));	/* as above */
}

static void note_end(int fd, const struct stat *st, long mode)
{
	struct slot *s = sched_is_started ? slot_get(fd) : NULL;

	if (!s)
		return;
	store_relaxed(&s->pipe, (uint32_t)st->st_ino);
	if ((mode & O_ACCMODE) == O_WRONLY)
		store_relaxed(&s->reader, load_relaxed(&own_readers[st->st_ino % OWN_PIPES]) + 1);
}

/* Before threads have started nothing is remembered, nor is its type. */
static void distrust(int fd)
{
	struct slot *s = sched_is_started ? slot_get(fd) : NULL;

	if (s)
		fetch_or(&s->flags, SLOT_STICKY);
}

enum io_type fd_type(int fd)
{
	enum io_type type = io_type(fd);
	struct stat st;
	long mode;

	if (likely(type != IO_UNKNOWN))
		return type;
	if (arch_syscall2(SYS_fstat, fd, (long)&st))
		return IO_UNKNOWN;
	switch (st.st_mode & S_IFMT) {
	case S_IFSOCK:
		type = IO_SOCKET;
		break;
	case S_IFIFO:
		type = IO_PIPE;
		break;
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		type = IO_FILE;
		break;
	default:
		type = is_endless(&st) ? IO_FILE : IO_CHAR;
	}
	if (type == IO_PIPE || type == IO_CHAR) {
		uint32_t epoch = io_mode_epoch(true);

		mode = arch_syscall2(SYS_fcntl, fd, F_GETFL);
		if (type == IO_PIPE && is_own_pipe(&st)) {
			note_end(fd, &st, mode);
			if (mode & O_DIRECT)		/* a child has set it */
				fetch_or(&io_doubts, IO_DOUBT_PIPE);
		} else if (type == IO_PIPE) {		/* one of packets says so at its other end only */
			distrust(fd);
		}
		if (mode & O_NONBLOCK)
			io_note_mode(fd, true, epoch);
	}
	io_set_type(fd, type);
	return type;
}

/* The files that are no socket and no pipe, but for those that stand in no directory: of these, perf's counters. */
bool fd_poll_takes(int fd)
{
	enum io_type type = fd_type(fd);
	struct stat st;
	uint64_t id;

	if (type == IO_FILE)		/* most are never watched, and of the others it is not known */
		return true;
	if (type != IO_CHAR || arch_syscall2(SYS_fstat, fd, (long)&st) || (st.st_mode & S_IFMT))
		return false;
	return arch_syscall3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, (long)&id) == 0;
}

static int int_option(int fd, int name)
{
	int value = -1;
	socklen_t size = sizeof(value);

	arch_syscall5(SYS_getsockopt, fd, SOL_SOCKET, name, (long)&value, (long)&size);
	return value;
}

enum io_type fd_socket_type(int fd)
{
	int domain = int_option(fd, SO_DOMAIN), kind = int_option(fd, SO_TYPE);
	enum io_type type = IO_MESSAGE;

	if (kind < 0)			/* another file has the number by now */
		return IO_UNKNOWN;
	if (kind == SOCK_STREAM && domain == AF_UNIX)
		type = IO_LOCAL;
	else if (kind == SOCK_STREAM)
		type = (domain == AF_INET || domain == AF_INET6) &&
		       int_option(fd, SO_PROTOCOL) == IPPROTO_TCP ? IO_TCP : IO_STREAM;
	else if (kind == SOCK_SEQPACKET)
		type = IO_SEQPACKET;
	io_set_type(fd, type);
	return type;
}

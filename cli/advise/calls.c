// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which calls wait for what.  Those that name a descriptor wait for what it is: a file, or a peer.  What is
 * not listed is taken for something that must be so before the program goes on, which promises nothing.
 */
#include "observe.h"

#include <stdio.h>
#include <sys/stat.h>

#include "../../src/sys/numbers.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DISK(call) { SYS_##call, #call, FOR_DISK, false }
#define FILE_OR_PEER(call) { SYS_##call, #call, FOR_PEER, true }
#define PEER(call) { SYS_##call, #call, FOR_PEER, false }
#define ORDER(call) { SYS_##call, #call, FOR_ORDER, false }
#define THREAD(call) { SYS_##call, #call, FOR_THREAD, false }
#define WORK(call) { SYS_##call, #call, FOR_WORK, false }

static const struct call {
	long number;
	const char *name;
	enum wait_kind kind;
	bool has_descriptor;	/* and is for a disk if that is a file */
} calls[] = {
	FILE_OR_PEER(read), FILE_OR_PEER(pread64), FILE_OR_PEER(readv), FILE_OR_PEER(preadv), FILE_OR_PEER(preadv2),
	FILE_OR_PEER(write), FILE_OR_PEER(pwrite64), FILE_OR_PEER(writev), FILE_OR_PEER(pwritev), FILE_OR_PEER(pwritev2),
	FILE_OR_PEER(sendfile), FILE_OR_PEER(splice), FILE_OR_PEER(copy_file_range), FILE_OR_PEER(ioctl), FILE_OR_PEER(close),
	DISK(openat), DISK(newfstatat), DISK(statx), DISK(fstat), DISK(faccessat), DISK(faccessat2), DISK(readlinkat),
	DISK(getdents64), DISK(lseek), DISK(ftruncate), DISK(truncate), DISK(fallocate), DISK(fadvise64), DISK(readahead),
	DISK(unlinkat), DISK(renameat2), DISK(mkdirat), DISK(linkat), DISK(symlinkat), DISK(execve),
	DISK(mmap), DISK(munmap), DISK(madvise), DISK(io_getevents),
#ifdef SYS_open		/* the older ones, which newer processors' kernels do not have */
	DISK(open), DISK(creat), DISK(stat), DISK(lstat), DISK(access), DISK(readlink), DISK(getdents), DISK(unlink),
	DISK(rename), DISK(mkdir), DISK(rmdir), DISK(link), DISK(symlink),
	WORK(poll), WORK(select), WORK(epoll_wait), WORK(pause),
#endif
	PEER(recvfrom), PEER(recvmsg), PEER(recvmmsg), PEER(sendto), PEER(sendmsg), PEER(sendmmsg), PEER(connect),
	ORDER(fsync), ORDER(fdatasync), ORDER(sync), ORDER(syncfs), ORDER(msync), ORDER(sync_file_range), ORDER(flock),
	ORDER(fcntl), ORDER(wait4), ORDER(waitid), ORDER(semop), ORDER(semtimedop),
	THREAD(futex),
	WORK(accept), WORK(accept4), WORK(ppoll), WORK(pselect6), WORK(epoll_pwait), WORK(nanosleep), WORK(clock_nanosleep),
	WORK(rt_sigtimedwait), WORK(rt_sigsuspend), WORK(restart_syscall), WORK(io_uring_enter), WORK(msgrcv),
	WORK(mq_timedreceive),
#ifdef SYS_epoll_pwait2
	WORK(epoll_pwait2),
#endif
};

static bool is_file(pid_t pid, unsigned long fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)pid, fd);
	return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode) || S_ISDIR(st.st_mode));
}

enum wait_kind call_kind(pid_t pid, long number, unsigned long first, const char **ret_name)
{
	if (number == -1) {
		*ret_name = "page faults";
		return FOR_DISK;
	}
	for (size_t i = 0; i < COUNT(calls); i++) {
		if (calls[i].number != number)
			continue;
		*ret_name = calls[i].name;
		return calls[i].has_descriptor && is_file(pid, first) ? FOR_DISK : calls[i].kind;
	}
	*ret_name = "other calls";
	return FOR_ORDER;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * What libupcall.so puts itself before libc for, in the absence of the posix room.
 *
 * Descriptors: what is remembered of one must not outlive it, nor be forgotten by a child that has its parent's memory;
 * and pipes are known from the start.  New processes and programs: they get the program's own CPU mask, not that of the
 * vproc they are made on.  (A forked child sees to that itself: load.c.)  These names carry no version, so that they
 * answer for libc's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../arch/arch.h"
#include "../io/io.h"
#include "../sys/sys.h"
#include "native.h"

#define EXPORT __attribute__((visibility("default")))

#include "../base/execl.h"

/*
 * libc's own, or the next library's.  All are looked up at load, as a child of vfork's or of a fork amid other threads
 * may call no dlsym.
 */
struct libc_call {
	const char *name;
	const char *version;		/* before glibc 2.36 dlsym prefers an older one, if there is one */
	void *otherwise;		/* what does it where libc is too old */
	APTR(void) found;
};

extern struct libc_call __start_upcall_libc[] __attribute__((visibility("hidden")));
extern struct libc_call __stop_upcall_libc[] __attribute__((visibility("hidden")));

static COLD void *find(struct libc_call *c)
{
	void *fn = c->version ? dlvsym(RTLD_NEXT, c->name, c->version) : NULL;

	if (!fn)
		fn = dlsym(RTLD_NEXT, c->name);
	if (!fn)
		fn = c->otherwise;
	store_relaxed(&c->found, fn);		/* everybody finds the same */
	return fn;
}

__attribute__((constructor(102))) static void find_all(void)
{
	for (struct libc_call *c = __start_upcall_libc; c < __stop_upcall_libc; c++)
		find(c);
}

#define LIBC(name, version, otherwise) \
	({ \
		static struct libc_call call_ __attribute__((section("upcall_libc"), used)) = { \
			#name, version, (void *)(otherwise), { NULL } }; \
		void *fn_ = load_relaxed(&call_.found);		/* as above */ \
		(__typeof__(&name))(likely(fn_ != NULL) ? fn_ : find(&call_)); \
	})

#define REAL(name) LIBC(name, NULL, NULL)
#define REAL_OF(version, name) LIBC(name, version, NULL)
#define REAL_OR(name, otherwise) LIBC(name, NULL, otherwise)

/* libc would ask the kernel about our thread, which it does not know. */
EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	return t && t->stack_class ? thread_attributes(t, attr) : REAL(pthread_getattr_np)(handle, attr);
}

EXPORT int close(int fd)
{
	if (sched_is_started && io_is_ours(fd)) {
		errno = EBADF;
		return -1;
	}
	bool keeps_book = native_keeps_book(fd);

	if (keeps_book)
		io_close_begin(fd);
	int err = REAL(close)(fd);

	if (keeps_book)
		io_close_end(fd);
	return err;
}

/* If it is to fail nothing is forgotten. */
static bool replace_begin(int from, int to, int flags)
{
	if (from == to || (flags & ~O_CLOEXEC) || arch_syscall2(SYS_fcntl, from, F_GETFD) < 0 || !native_keeps_book(to))
		return false;
	io_close_begin(to);
	return true;
}

EXPORT int dup2(int from, int to)
{
	bool keeps_book = replace_begin(from, to, 0);
	int fd = REAL(dup2)(from, to);

	if (keeps_book)
		io_close_end(to);
	return fd;
}

EXPORT int dup3(int from, int to, int flags)
{
	bool keeps_book = replace_begin(from, to, flags);
	int fd = REAL(dup3)(from, to, flags);

	if (keeps_book)
		io_close_end(to);
	return fd;
}

EXPORT int fclose(FILE *f)
{
	if (f) {
		int saved_errno = errno, fd = fileno(f);

		if (fd >= 0 && native_keeps_book(fd))
			io_forget(fd);
		errno = saved_errno;
	}
	return REAL(fclose)(f);
}

/* Its pipes are known as the program's own: what is read short of them, and found empty, needs no second look. */
EXPORT int pipe2(int fds[2], int flags)
{
	int err = REAL(pipe2)(fds, flags);

	if (!err && !(flags & O_DIRECT))
		fd_made_pipe(fds[0]);
	return err;
}

EXPORT int pipe(int fds[2])
{
	int err = REAL(pipe)(fds);

	if (!err)
		fd_made_pipe(fds[0]);
	return err;
}

/* The thread stays on its kernel thread meanwhile, unless it waits. */
#define UNPINNED(call) \
	({ \
		struct thread *me_ = sched_is_started ? thread_self() : NULL; \
		if (me_) { \
			me_->posix[2]++;	/* not preempted: see preempt.c */ \
			sched_unpin(me_); \
		} \
		__typeof__(call) result_ = (call); \
		if (me_) { \
			sched_repin(me_); \
			me_->posix[2]--; \
		} \
		result_; \
	})

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict acts,
		       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		       char *const envp[restrict])
{
	return UNPINNED(REAL_OF("GLIBC_2.15", posix_spawn)(pid, path, acts, attr, argv, envp));
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict acts,
			const posix_spawnattr_t *restrict attr, char *const argv[restrict],
			char *const envp[restrict])
{
	return UNPINNED(REAL_OF("GLIBC_2.15", posix_spawnp)(pid, file, acts, attr, argv, envp));
}

EXPORT int system(const char *line)
{
	return UNPINNED(REAL(system)(line));
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	return UNPINNED(REAL(popen)(command, mode));
}

/* A child of vfork's leaves no word behind: if all goes well it does not come back. */
static bool is_elsewhere(void)
{
	if (!native_is_elsewhere())
		return false;
	if (thread_self()->kind == THREAD_USER)
		sched_leave();
	return true;
}

#define LEAVE_WITH(call) return is_elsewhere() ? (call) : UNPINNED(call)

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	LEAVE_WITH(REAL(execve)(path, argv, envp));
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	LEAVE_WITH(REAL(execvpe)(file, argv, envp));
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	LEAVE_WITH(REAL(fexecve)(fd, argv, envp));
}

static int execveat_by_number(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	errno = (int)-arch_syscall5(SYS_execveat, dir, (long)path, (long)argv, (long)envp, flags);
	return -1;
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	LEAVE_WITH(REAL_OR(execveat, execveat_by_number)(dir, path, argv, envp, flags));
}

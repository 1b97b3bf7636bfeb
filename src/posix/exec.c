// SPDX-License-Identifier: BSD-2-Clause
/*
 * Leaving.  exec: the new image gets the program's own CPU and signal masks; and --no-children, which takes
 * us out of the environment before the program can pass it on.  _exit: the counters, if asked for.  And at once,
 * from a program with ThreadSanitizer.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../base/print.h"
#include "../sys/probe.h"
#include "../sys/sys.h"
#include "../thread/tls.h"
#include "../trace/page.h"
#include "posix.h"
#include "process.h"
#include "real.h"

#include "../base/execl.h"		/* by those below, with EXPORT */

#define OUR_NAME "libupcall-pthread.so"

/*
 * The kernel gives the thread that leaves the process's number before it looks for that in its robust mutexes.  Where
 * main is on another kernel thread, they say that number in time.
 */
struct renaming {
	int from, to;	/* 0: nothing is to be undone */
};

static struct renaming rename_begin(void)
{
	struct thread *self = self_ptr;
	int pid = sys_getpid();

	if (!sched_is_started || !self || !self->is_one_to_one || word_get(self, PW_VFORK) || self->tid != pid)
		return (struct renaming){ 0, 0 };
	struct renaming r = { sys_gettid(), pid };

	if (r.from == pid)
		return (struct renaming){ 0, 0 };
	tls_rename_robust(self->tls, r.from, r.to);
	return r;
}

static void rename_end(struct renaming *r)
{
	if (r->from)
		tls_rename_robust(self_ptr->tls, r->to, r->from);
}

/* Returns only on failure. */
#define LEAVE_WITH(call) \
	do { \
		DEPARTURE(d_, depart_by_exec); \
		__attribute__((cleanup(rename_end), unused)) struct renaming r_ = rename_begin(); \
		return (call); \
	} while (0)

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

/* glibc has it since 2.34. */
static int execveat_of_kernel(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	errno = (int)-arch_syscall5(SYS_execveat, dir, (long)path, (long)argv, (long)envp, flags);
	return -1;
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	LEAVE_WITH(REAL_OR(execveat, execveat_of_kernel)(dir, path, argv, envp, flags));
}

/* A vfork child leaves alone, and the counters are its parent's. */
EXPORT void _exit(int status)
{
	if (sched_is_started && !is_in_vfork())
		stats_at_exit();
	REAL(_exit)(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

/* Takes the entries of a colon- or space-separated list that name our library out of it. */
static void remove_ours(char *list)
{
	char *to = list, *from = list;

	while (*from) {
		size_t n = strcspn(from, ": ");
		bool ours = memmem(from, n, OUR_NAME, sizeof(OUR_NAME) - 1) != NULL;

		if (!ours) {
			if (to != list)
				*to++ = ':';
			memmove(to, from, n);
			to += n;
		}
		from += n;
		from += *from != 0;
	}
	*to = 0;
}

static void leave_preloads(void)
{
	for (char **at = environ; *at; at++)
		if (strncmp(*at, "LD_PRELOAD=", 11) == 0)
			remove_ours(*at + 11);
}

/*
 * What looks for races must see the system's own functions.  ThreadSanitizer's program starts once more, without this
 * library; valgrind's starter is the one that will find it gone.
 * Not where ld.so was started with the program's name, which argv no longer has.
 */
static void leave_to_race_checkers(int argc, char **argv)
{
	const char *preloads = getenv("LD_PRELOAD");
	char path[PATH_MAX] = "";

	if (preloads && argc > 0 && probe_checks_races(argv))
		leave_preloads();
	if (!probe_has_tsan() || !preloads || !strstr(preloads, OUR_NAME) || !getauxval(AT_BASE) ||
	    readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return;
	complain("%s runs on plain kernel threads: it is built with ThreadSanitizer", path);
	leave_preloads();
	arch_syscall3(SYS_execve, (long)path, (long)argv, (long)environ);
}

/* A constructor; the compiler calls those that it knows of without arguments. */
__attribute__((used, section(".init_array.00101"))) static void (*const first)(int, char **) = leave_to_race_checkers;

void env_start(void)
{
	const char *children = secure_getenv("UPCALL_CHILDREN");
	char **to = environ;

	if (!children || strcmp(children, "0") != 0)
		return;
	leave_preloads();
	for (char **from = environ; *from; from++) {
		if (strncmp(*from, "UPCALL_", 7) == 0 || strcmp(*from, "LD_PRELOAD=") == 0)
			continue;
		*to++ = *from;
	}
	*to = NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: step PROGRAM ARGS...
 * Counts the instructions, and the locked ones among them, that a kernel thread of PROGRAM executes from one
 * breakpoint (int3) to its next, one by one; all its other kernel threads stand still meanwhile.  Prints the least
 * of each.  75: it was disturbed; try again.  77: it may not trace.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_MAX = 100000, DISTURBED = 75, SKIPPED = 77 };

static pid_t program;
static int memory = -1;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static unsigned long address(pid_t tid)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0, &r))
		fail("registers");
	return r.rip;
}

/* Is it a read-modify-write of memory that no other processor sees half of, or a full fence? */
static bool is_locked(const unsigned char *code)
{
	while (*code == 0x66 || *code == 0x67 || *code == 0xf2 || *code == 0xf3 || *code == 0x64 || *code == 0x65)
		code++;
	if (*code == 0xf0)
		return true;
	if ((*code & 0xf0) == 0x40)		/* REX */
		code++;
	if (code[0] == 0x0f && code[1] == 0xae)
		return code[2] == 0xf0;		/* mfence */
	return (code[0] | 1) == 0x87 && code[1] < 0xc0;		/* xchg with memory */
}

/* Stops every kernel thread of the program but tid. */
static void stop_others(pid_t tid)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)program);
	d = opendir(path);
	if (!d)
		fail(path);
	while ((e = readdir(d)) != NULL) {
		pid_t other = atoi(e->d_name);

		if (other > 0 && other != tid && !ptrace(PTRACE_INTERRUPT, other, 0, 0))
			waitpid(other, NULL, __WALL);
	}
	closedir(d);
}

/* From one breakpoint to the next. */
static void count(pid_t tid, unsigned long *ret_all, unsigned long *ret_locked)
{
	unsigned char code[16];
	int status;

	*ret_all = *ret_locked = 0;
	for (;;) {
		if (pread(memory, code, sizeof(code), (off_t)address(tid)) < 2)
			fail("code");
		if (*code == 0xcc)
			return;
		++*ret_all;
		*ret_locked += is_locked(code);
		/* It lost its vproc while it stood at the breakpoint, or wants a lock that another holds for ever. */
		if ((code[0] == 0x0f && code[1] == 0x05) || *ret_all > STEPS_MAX)
			exit(DISTURBED);
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			fail("step");
	}
}

static void skip_breakpoint(pid_t tid)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0, &r))
		fail("registers");
	r.rip++;
	if (ptrace(PTRACE_SETREGS, tid, 0, &r))
		fail("registers");
}

/* Runs it until a kernel thread meets a breakpoint. */
static pid_t run(void)
{
	int status;

	for (;;) {
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0)
			fail("the program");
		if (!WIFSTOPPED(status)) {
			if (tid == program)
				exit(1);
			continue;
		}
		int sig = WSTOPSIG(status), event = status >> 16;

		if (sig == SIGTRAP && !event)
			return tid;
		ptrace(PTRACE_CONT, tid, 0, event ? 0 : sig);
	}
}

int main(int argc, char **argv)
{
	unsigned long all, locked, least = ULONG_MAX, least_locked = ULONG_MAX;
	char path[64];

	if (argc < 2)
		return 2;
	program = fork();
	if (program == 0) {
		raise(SIGSTOP);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(program, NULL, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, program, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)) {
		perror("ptrace");
		kill(program, SIGKILL);
		return SKIPPED;
	}
	kill(program, SIGCONT);

	pid_t tid = run();

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)program);
	memory = open(path, O_RDONLY);
	stop_others(tid);
	/* The kernel stops behind a breakpoint that was run into; we stop before the others.  Two in a row end it. */
	for (count(tid, &all, &locked); all; count(tid, &all, &locked)) {
		least = all < least ? all : least;
		least_locked = locked < least_locked ? locked : least_locked;
		skip_breakpoint(tid);
	}
	kill(program, SIGKILL);
	printf("%lu %lu\n", least, least_locked);
	return 0;
}

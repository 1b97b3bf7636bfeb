// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: calls PROGRAM ARGS...
 * Counts the system calls that PROGRAM, its kernel threads and its children make from one prctl(MARK, 1) on until a
 * prctl(MARK, 0), in all and of each kind: "total 12", then "202 10" and so on by number.  77: it may not trace.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

enum { SKIPPED = 77, NUMBERS = 1024 };

static unsigned long count[NUMBERS];
static bool is_counting;

static void note_call(pid_t tid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	if (info.entry.nr == SYS_prctl && info.entry.args[0] == CALLS_MARK)
		is_counting = info.entry.args[1] != 0;
	else if (is_counting && info.entry.nr < NUMBERS)
		count[info.entry.nr]++;
}

/* The signal that the thread is to be given, or 0. */
static int seen(pid_t tid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		note_call(tid);
		return 0;
	}
	if (event == PTRACE_EVENT_STOP)		/* new, or a stop of the whole process, which these programs have not */
		return 0;
	return event ? 0 : sig;
}

static int trace(pid_t program)
{
	int status, ret = 1;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, tid, 0, seen(tid, status));
		else if (tid == program)
			ret = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return ret;
}

int main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	unsigned long total = 0;
	int ends[2];
	char byte;

	if (argc < 2 || pipe(ends))
		return 2;
	pid_t program = fork();

	if (program == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execv(argv[1], argv + 1);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, program, 0, options)) {
		fprintf(stderr, "ptrace: %s\n", strerror(errno));
		return SKIPPED;
	}
	ptrace(PTRACE_INTERRUPT, program, 0, 0);
	if (write(ends[1], "", 1) != 1)
		return 2;
	int ret = trace(program);

	for (int i = 0; i < NUMBERS; i++)
		total += count[i];
	printf("total %lu\n", total);
	for (int i = 0; i < NUMBERS; i++)
		if (count[i])
			printf("%d %lu\n", i, count[i]);
	return ret;
}

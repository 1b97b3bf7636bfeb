// SPDX-License-Identifier: BSD-2-Clause
// A thread that is not the main one forks a child, which asks to be traced: that thread traces it, after waits of any kind.
#include "../harness.h"
#include <sys/ptrace.h>

enum { TRACERS = 3, STOPS = 20 };

static void *traces(void *arg)
{
	int status, stops = 0;
	pid_t pid = fork_watched();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (int i = 0; i < STOPS; i++)
			raise(SIGUSR1);
		_exit(0);
	}
	for (;;) {
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		stops++;
		usleep(300);
		CHECK_OK(ptrace(PTRACE_CONT, pid, 0, 0));
	}
	CHECK_EQ(stops, STOPS);
	return arg;
}

int main(void)
{
	pthread_t t[TRACERS];

	spawn_many(t, TRACERS, traces);
	join_many(t, TRACERS);
}

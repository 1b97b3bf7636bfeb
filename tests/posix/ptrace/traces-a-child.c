// SPDX-License-Identifier: BSD-2-Clause
// A program that traces, as a debugger does: a child that asks for it, and one that is attached to, amid threads
// that come and go; from the main thread and from others.
#include "../harness.h"
#include <sys/ptrace.h>

enum { OTHERS = 4, TRACERS = 3, STOPS = 60 };

static atomic_bool stop;

static void *waits(void *arg)
{
	while (!stop)
		usleep(500);
	return arg;
}

static void trace(pid_t pid, bool sends)
{
	int status, stops = 0;

	for (;;) {
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		stops++;
		usleep(500);
		if (sends)
			CHECK_OK(kill(pid, stops < STOPS ? SIGUSR1 : SIGKILL));
		if (ptrace(PTRACE_CONT, pid, 0, 0))
			CHECK_EQ(errno, ESRCH);		/* killed just now */
	}
	CHECK_EQ(stops, STOPS);
}

static void *asks_for_it(void *arg)
{
	pid_t pid = fork_watched();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (int i = 0; i < STOPS; i++)
			raise(SIGUSR1);
		_exit(0);
	}
	trace(pid, false);
	return arg;
}

static void *attaches(void *arg)
{
	pid_t pid = fork_watched();

	if (pid == 0)
		for (;;)
			pause();
	CHECK_OK(ptrace(PTRACE_ATTACH, pid, 0, 0));
	trace(pid, true);
	return arg;
}

int main(void)
{
	pthread_t others[OTHERS], tracers[TRACERS];

	spawn_many(others, OTHERS, waits);
	asks_for_it(NULL);
	attaches(NULL);
	join(spawn(attaches, NULL));
	spawn_many(tracers, TRACERS, asks_for_it);
	join_many(tracers, TRACERS);
	stop = true;
	join_many(others, OTHERS);
}

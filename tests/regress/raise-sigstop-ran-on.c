// SPDX-License-Identifier: BSD-2-Clause
// A thread that stopped itself ran on before the process stopped: the signal went to the process, to any kernel thread.
#include "../posix/harness.h"

enum { STOPS = 200 };

static atomic_int *resumed;
static int (*stops)(void);

static int by_raise(void)
{
	return raise(SIGSTOP);
}

static int by_pthread_kill(void)
{
	return pthread_kill(pthread_self(), SIGSTOP);
}

static void *stops_itself(void *arg)
{
	for (int i = 1; i <= STOPS; i++) {
		CHECK_OK(stops());
		CHECK_EQ(*resumed, i);
	}
	return arg;
}

static void stop_and_resume(int (*how)(void))
{
	int status;

	stops = how;
	*resumed = 0;
	pid_t child = fork_watched();

	if (child == 0) {
		join(spawn(stops_itself, NULL));
		_exit(0);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		++*resumed;
		CHECK_OK(kill(child, SIGCONT));
	}
	CHECK_EQ(status, 0);
}

int main(void)
{
	resumed = shared_memory(sizeof *resumed);
	stop_and_resume(by_raise);
	stop_and_resume(by_pthread_kill);
}

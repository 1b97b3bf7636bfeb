// SPDX-License-Identifier: BSD-2-Clause
// What main sends its own process has been handled, or has stopped or ended it, when kill returns, wherever main runs.
#include "../posix/harness.h"
#include <sys/resource.h>

enum { TURNS = 100 };

static atomic_int *resumed;
static atomic_int handled;

static void count(int sig UNUSED)
{
	handled++;
}

static void *waits(void *arg)
{
	sleep(1000);
	return arg;
}

/* By a mask of its own: it has another kernel thread than the process's first from then on. */
static void bind_main(void)
{
	cpu_set_t cpus, one;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(sched_setaffinity(0, sizeof(one), &one));
}

static void handles(void)
{
	on_signal(SIGUSR1, count, 0);
	for (int i = 1; i <= TURNS; i++) {
		CHECK_OK(i % 2 ? kill(getpid(), SIGUSR1) : sigqueue(getpid(), SIGUSR1, (union sigval){ 0 }));
		CHECK_EQ(handled, i);
	}
}

static void stops(void)
{
	for (int i = 1; i <= TURNS; i++) {
		CHECK_OK(kill(getpid(), SIGSTOP));
		CHECK_EQ(*resumed, i);
	}
}

static void ends(void)
{
	struct rlimit none = { 0, 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	CHECK_OK(kill(getpid(), SIGQUIT));
	_exit(3);
}

static int in_child_that(void (*does)(void), bool is_bound)
{
	int status;
	pid_t child = fork_watched();

	*resumed = 0;
	if (child == 0) {
		spawn(waits, NULL);
		if (is_bound)
			bind_main();
		does();
		_exit(0);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		++*resumed;
		CHECK_OK(kill(child, SIGCONT));
	}
	return status;
}

int main(void)
{
	resumed = shared_memory(sizeof *resumed);
	for (int bound = 0; bound < 2; bound++) {
		CHECK_EQ(in_child_that(handles, bound), 0);
		CHECK_EQ(in_child_that(stops, bound), 0);
		int status = in_child_that(ends, bound);

		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), SIGQUIT);
	}
}

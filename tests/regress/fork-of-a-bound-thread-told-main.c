// SPDX-License-Identifier: BSD-2-Clause
// A thread with a kernel thread of its own waits in pause for its child's end: main, which has made children, too, was told.
#include "../posix/harness.h"
#include <spawn.h>

enum { TIMES = 10 };

static __thread volatile sig_atomic_t is_told;
static atomic_bool stop;
extern char **environ;

static void handler(int sig UNUSED)
{
	is_told = 1;
}

static void *computes(void *arg)
{
	while (!stop)
		;
	return arg;
}

static pid_t fork_one(void)
{
	pid_t child = fork();

	if (child == 0) {
		sleep_ms(20);
		_exit(0);
	}
	return child;
}

static pid_t spawn_one(void)
{
	char *args[] = { "sleep", "0.02", NULL };
	pid_t child;

	CHECK_OK(posix_spawnp(&child, "sleep", NULL, NULL, args, environ));
	return child;
}

static void *waits(void *arg)
{
	const struct sched_param none = { 0 };
	sigset_t chld, was;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	CHECK_OK(sched_setscheduler(0, SCHED_BATCH, &none));
	for (int i = 0; i < TIMES; i++) {
		is_told = 0;
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &chld, &was));
		pid_t child = i % 2 ? fork_one() : spawn_one();

		while (!is_told)
			CHECK_ERRNO(sigsuspend(&was), EINTR);
		CHECK_OK(pthread_sigmask(SIG_SETMASK, &was, NULL));
		CHECK_EQ(waitpid(child, NULL, 0), child);
	}
	return arg;
}

int main(void)
{
	on_signal(SIGCHLD, handler, SA_RESTART);

	pthread_t t = spawn(computes, NULL);
	pid_t child = fork_one();

	CHECK_EQ(waitpid(child, NULL, 0), child);
	join(spawn(waits, NULL));
	stop = true;
	join(t);
}

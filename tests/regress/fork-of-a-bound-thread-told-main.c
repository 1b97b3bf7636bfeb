// SPDX-License-Identifier: BSD-2-Clause
// A thread with a kernel thread of its own waits for its child's end: main, which has made children, too, was told.
#include "../posix/harness.h"
#include <poll.h>
#include <spawn.h>

enum { TIMES = 10, TRIES = 5 };

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

/* Is it told of its child while it waits?  What comes before that is main's, on libc's threads, too. */
static bool is_told_of(pid_t (*make)(void), const sigset_t *wait_mask)
{
	const struct timespec limit = { 1, 0 };

	is_told = 0;
	pid_t child = make();

	ppoll(NULL, 0, &limit, wait_mask);
	CHECK_EQ(waitpid(child, NULL, 0), child);
	return is_told;
}

static void *waits(void *arg)
{
	const struct sched_param none = { 0 };
	sigset_t chld, was;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	CHECK_OK(sched_setscheduler(0, SCHED_BATCH, &none));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &chld, &was));
	for (int i = 0; i < TIMES; i++)
		for (int tries = 0; !is_told_of(i % 2 ? fork_one : spawn_one, &was); tries++)
			CHECK(tries < TRIES);
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

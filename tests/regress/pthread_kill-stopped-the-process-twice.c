// SPDX-License-Identifier: BSD-2-Clause
// A signal that stops by default, sent to a thread that waits with another mask: it was queued for that thread, and
// told of by a signal of the same number. Where that one came before the wait was there it stopped the process, and
// what was queued did so once more when the process went on.
#include "../posix/harness.h"

enum { ROUNDS = 100 };

static struct shared { atomic_int waits, rounds, sent; } *shared;

static void wakes(int sig)
{
	(void)sig;
}

static void *waits_often(void *arg)
{
	for (;;) {
		pause();
		shared->waits = 1;
	}
	return arg;
}

static void *prods(void *waiter)
{
	for (;;) {
		CHECK_OK(pthread_kill((pthread_t)waiter, SIGUSR1));
		sched_yield();
	}
	return NULL;
}

static void be_stopped(void)
{
	CHECK_OK(setpgid(0, 0));	/* in an orphaned group such signals have no effect */

	on_signal(SIGUSR1, wakes, 0);

	pthread_t waiter = spawn(waits_often, NULL);

	spawn(prods, (void *)waiter);
	WAIT_FOR(shared->waits);
	for (int i = 0; i < ROUNDS; i++) {
		shared->sent++;
		CHECK_OK(pthread_kill(waiter, i % 2 ? SIGTSTP : SIGTTOU));
		while (shared->rounds <= i)
			sleep_ms(1);
	}
	_exit(0);
}

int main(void)
{
	int status;

	shared = shared_memory(sizeof *shared);
	pid_t pid = fork_watched();

	if (pid == 0)
		be_stopped();
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
		CHECK(WIFSTOPPED(status));
		CHECK_EQ(shared->sent, i + 1);
		CHECK_OK(kill(pid, SIGCONT));
		sleep_ms(i % 4);
		shared->rounds++;
	}
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK_EQ(status, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread in a call that waits in the kernel was sent a signal with a handler, and cancelled at the same moment.  The
 * cancellation came as the handler was about to begin, or to end, inside the runtime for a moment; and the call was made again.
 */
#include "../posix/harness.h"

enum { ROUNDS = 100 };

static pid_t child;
static atomic_bool is_there;

static void note(int sig UNUSED)
{
}

static void *waits_by_waitid(void *arg)
{
	siginfo_t info;

	for (is_there = true; is_there;)
		waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	return arg;
}

static void *waits_by_waitpid(void *arg)
{
	for (is_there = true; is_there;)
		waitpid(child, NULL, 0);
	return arg;
}

static void one(void *(*waits)(void *), int round)
{
	pthread_t t;
	void *result;

	is_there = false;
	t = spawn(waits, NULL);
	while (!is_there)
		sched_yield();
	if (round & 1)
		usleep((unsigned)round % 7 * 50);
	if (round & 2)
		CHECK_OK(pthread_kill(t, SIGUSR1));
	CHECK_OK(pthread_cancel(t));
	if (!(round & 2))
		pthread_kill(t, SIGUSR1);
	CHECK_OK(pthread_join(t, &result));
	CHECK(result == PTHREAD_CANCELED);
}

int main(void)
{
	on_signal(SIGUSR1, note, SA_RESTART);
	child = fork();
	if (child == 0) {
		alarm(WATCHDOG_SECONDS);		/* whatever becomes of its parent */
		for (;;)
			pause();
	}
	CHECK(child > 0);
	for (int i = 0; i < ROUNDS; i++) {
		one(waits_by_waitid, i);
		one(waits_by_waitpid, i);
	}
	CHECK_OK(kill(child, SIGKILL));
	CHECK_EQ(waitpid(child, NULL, 0), child);
}

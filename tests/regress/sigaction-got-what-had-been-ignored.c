// SPDX-License-Identifier: BSD-2-Clause
// A signal that is ignored, and blocked by no thread, is gone when kill returns. The kernel keeps it if the first
// kernel thread blocks it at that moment, as in the runtime's own part of a handler; it came to the action that the
// program gave it next.
#include "../posix/harness.h"

#include <sys/time.h>

static atomic_int is_over;
static atomic_int came;

static void counts(int sig)
{
	(void)sig;
	came++;
}

static void wakes(int sig)
{
	(void)sig;
}

static void *ignores_and_not(void *arg)
{
	block_signal(SIGALRM);
	for (int i = 0; i < 20000; i++) {
		signal(SIGUSR1, SIG_IGN);
		CHECK_OK(kill(getpid(), SIGUSR1));
		signal(SIGUSR1, counts);
		CHECK_EQ(came, 0);
	}
	is_over = 1;
	return arg;
}

int main(void)
{
	on_signal(SIGALRM, wakes, SA_RESTART);

	pthread_t t = spawn(ignores_and_not, NULL);
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
	while (!is_over)
		continue;
	join(t);
	CHECK_EQ(came, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// After exec, caught signals have their default, ignored ones stay ignored, and the mask stays.
#include "../harness.h"

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	block_signal(SIGHUP);
	execl("/proc/self/exe", "again", "again", NULL);
	return arg;
}

int main(int argc, char **argv UNUSED)
{
	struct sigaction sa;
	sigset_t s;

	if (argc == 1)
		join(spawn(body, NULL));
	CHECK_OK(sigaction(SIGUSR1, NULL, &sa));
	CHECK(sa.sa_handler == SIG_DFL);
	CHECK_OK(sigaction(SIGUSR2, NULL, &sa));
	CHECK(sa.sa_handler == SIG_IGN);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &s));
	CHECK_EQ(sigismember(&s, SIGHUP), 1);
	CHECK_EQ(sigismember(&s, SIGUSR1), 0);
}

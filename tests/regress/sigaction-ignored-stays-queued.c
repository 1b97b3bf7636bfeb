// SPDX-License-Identifier: BSD-2-Clause
// Setting SIG_IGN discards signals that are pending, for a thread and for the process.
#include "../posix/harness.h"

static void *body(void *arg)
{
	sigset_t s;

	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_OK(kill(getpid(), SIGUSR2));
	CHECK_OK(sigpending(&s));
	CHECK(sigismember(&s, SIGUSR1) && sigismember(&s, SIGUSR2));
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	CHECK_OK(sigpending(&s));
	CHECK(!sigismember(&s, SIGUSR1) && !sigismember(&s, SIGUSR2));
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	unblock_signal(SIGUSR1);
	unblock_signal(SIGUSR2);
	return arg;
}

int main(void)
{
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	join(spawn(body, NULL));
}

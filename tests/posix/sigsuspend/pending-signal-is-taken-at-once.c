// SPDX-License-Identifier: BSD-2-Clause
// A signal that is pending when sigsuspend admits it ends it at once.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	for (int i = 1; i <= 5; i++) {
		if (i & 1)
			CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		else
			CHECK_OK(kill(getpid(), SIGUSR1));
		CHECK_EQ(calls, i - 1);
		CHECK_ERRNO(sigsuspend(&none), EINTR);
		CHECK_EQ(calls, i);
	}
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	join(spawn(body, NULL));
}

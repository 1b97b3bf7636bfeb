// SPDX-License-Identifier: BSD-2-Clause
// Signals that are pending for the creator are not pending for the new thread.
#include "../harness.h"

static void *body(void *arg)
{
	sigset_t s;

	CHECK_OK(sigpending(&s));
	CHECK_EQ(sigismember(&s, SIGUSR1), 0);
	return arg;
}

static void *creator(void *arg)
{
	sigset_t s;

	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_OK(sigpending(&s));
	CHECK_EQ(sigismember(&s, SIGUSR1), 1);
	join(spawn(body, NULL));
	return arg;
}

int main(void)
{
	block_signal(SIGUSR1);
	join(spawn(creator, NULL));
}

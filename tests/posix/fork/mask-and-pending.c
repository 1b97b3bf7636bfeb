// SPDX-License-Identifier: BSD-2-Clause
// The child has the mask of the forking thread and no pending signals.
#include "../harness.h"

static void child(void)
{
	sigset_t s;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &s));
	CHECK(sigismember(&s, SIGUSR1) && !sigismember(&s, SIGUSR2));
	CHECK_OK(sigpending(&s));
	CHECK(!sigismember(&s, SIGUSR1));
}

static void *body(void *arg UNUSED)
{
	block_signal(SIGUSR1);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(in_child(child), 0);
	return NULL;
}

int main(void)
{
	block_signal(SIGUSR2);
	unblock_signal(SIGUSR2);
	join(spawn(body, NULL));
}

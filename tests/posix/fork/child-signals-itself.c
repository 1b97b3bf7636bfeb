// SPDX-License-Identifier: BSD-2-Clause
// In the child of a thread signals work: masks, handlers, sigwait, raise.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void child(void)
{
	sigset_t s = set_of(SIGUSR2);
	int sig = 0;

	CHECK_OK(raise(SIGUSR1));
	CHECK_EQ(calls, 1);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(calls, 2);
	block_signal(SIGUSR2);
	CHECK_OK(raise(SIGUSR2));
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR2);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(calls, 3);
}

static void *body(void *arg)
{
	CHECK_EQ(in_child(child), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	join(spawn(body, NULL));
}

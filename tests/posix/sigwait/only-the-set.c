// SPDX-License-Identifier: BSD-2-Clause
// sigwait takes signals of its set and leaves others pending.
#include "../harness.h"

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR2), p;
	int sig = 0;

	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR2));
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR2);
	CHECK_OK(sigpending(&p));
	CHECK_EQ(sigismember(&p, SIGUSR1), 1);
	CHECK_EQ(sigismember(&p, SIGUSR2), 0);
	return arg;
}

int main(void)
{
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// sigpending tells signals pending for the thread and for the process, and only those.
#include "../harness.h"

static atomic_bool sent;

static void *body(void *arg)
{
	sigset_t s;

	WAIT_FOR(sent);
	CHECK_OK(sigpending(&s));
	CHECK_EQ(sigismember(&s, SIGUSR1), 1);
	CHECK_EQ(sigismember(&s, SIGUSR2), 0);
	CHECK_EQ(sigismember(&s, SIGHUP), 0);
	return arg;
}

int main(void)
{
	pthread_t t;
	sigset_t s;

	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	t = spawn(body, NULL);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR2));
	sent = true;
	join(t);
	CHECK_OK(sigpending(&s));
	CHECK_EQ(sigismember(&s, SIGUSR1), 1);
	CHECK_EQ(sigismember(&s, SIGUSR2), 1);
}

// SPDX-License-Identifier: BSD-2-Clause
// A directed signal that its target blocks stays pending for that thread only.
#include "../harness.h"

static atomic_int step;

static void *body(void *arg UNUSED)
{
	sigset_t p;
	int sig = 0;
	sigset_t s = set_of(SIGUSR1);

	block_signal(SIGUSR1);
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_OK(sigpending(&p));
	CHECK(sigismember(&p, SIGUSR1));
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR1);
	CHECK_OK(sigpending(&p));
	CHECK(!sigismember(&p, SIGUSR1));
	return NULL;
}

int main(void)
{
	pthread_t t;
	sigset_t p;

	block_signal(SIGUSR1);
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	CHECK_OK(pthread_kill(t, SIGUSR1));
	CHECK_OK(sigpending(&p));
	CHECK(!sigismember(&p, SIGUSR1));
	step = 2;
	join(t);
}

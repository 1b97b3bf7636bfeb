// SPDX-License-Identifier: BSD-2-Clause
// A signal that is taken by sigwait does not run its handler.
#include "../harness.h"

static atomic_int calls;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR1);
	int sig = 0;

	waits = true;
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR1);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(waits);
	settle();
	CHECK_OK(kill(getpid(), SIGUSR1));
	join(t);
	CHECK_EQ(calls, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// A signal that is ignored, and that all threads block, ends a sigwait each time, while other threads come and go.
#include "../harness.h"

enum { MAKERS = 3, ROUNDS = 400 };

static atomic_bool stop;
static atomic_int got;
static int rounds;

static void *makes(void *arg)
{
	while (!stop) {
		pthread_t a = spawn(nothing, NULL), b = spawn(nothing, NULL);

		join(a);
		join(b);
	}
	return arg;
}

static void *takes(void *arg)
{
	sigset_t s = set_of(SIGUSR2);
	int sig;

	while (got < rounds) {
		CHECK_OK(sigwait(&s, &sig));
		CHECK_EQ(sig, SIGUSR2);
		got++;
	}
	return arg;
}

int main(void)
{
	pthread_t t, makers[MAKERS];

	rounds = share_of(ROUNDS);
	block_signal(SIGUSR2);
	CHECK(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
	t = spawn(takes, NULL);
	spawn_many(makers, MAKERS, makes);
	for (int i = 1; i <= rounds; i++) {
		CHECK_OK(kill(getpid(), SIGUSR2));
		WAIT_FOR(got == i);
	}
	stop = true;
	join(t);
	join_many(makers, MAKERS);
}

// SPDX-License-Identifier: BSD-2-Clause
// One thread in sigwait gets the process-directed signals that all threads block; none is lost.
#include "../harness.h"

#define ROUNDS 100

static atomic_int got;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	int sig;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(sigwait(&s, &sig));
		CHECK_EQ(sig, SIGUSR1);
		got++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	block_signal(SIGUSR1);
	t = spawn(body, NULL);
	for (int i = 1; i <= ROUNDS; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(got == i);
	}
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// When several threads wait for one signal, one signal releases one thread.
#include "../harness.h"

#define N 5

static atomic_int got;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	int sig;

	CHECK_OK(sigwait(&s, &sig));
	got++;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGUSR1);
	spawn_many(t, N, body);
	for (int i = 1; i <= N; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(got == i);
		settle();
		CHECK_EQ(got, i);
	}
	join_many(t, N);
}

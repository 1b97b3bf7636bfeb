// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for different signals: each is released by its own one, in whatever order they are sent.
#include "../harness.h"

#define N 20

static atomic_int ready, released[N];

static void *body(void *arg)
{
	sigset_t s = set_of(SIGRTMIN + (int)(intptr_t)arg);
	int sig;

	ready++;
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGRTMIN + (intptr_t)arg);
	released[(intptr_t)arg] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		block_signal(SIGRTMIN + i);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	settle();
	for (int i = 0; i < N; i++) {
		int which = i * 7 % N;

		CHECK_OK(kill(getpid(), SIGRTMIN + which));
		WAIT_FOR(released[which]);
	}
	join_many(t, N);
}

// SPDX-License-Identifier: BSD-2-Clause
// Of many threads that wait for one signal, each gets those that are sent to it, and no other's.
#include "../harness.h"

#define N 1000

static atomic_int ready, got;

static void *body(void *arg)
{
	sigset_t s = set_of(SIGRTMIN + 1);
	siginfo_t info;

	ready++;
	for (int round = 0; round < 2; round++) {
		CHECK_EQ(sigwaitinfo(&s, &info), SIGRTMIN + 1);
		CHECK_EQ(info.si_value.sival_int, (intptr_t)arg + round * N);
		got++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGRTMIN + 1);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	for (int round = 0; round < 2; round++) {
		settle();
		for (int i = N - 1; i >= 0; i--)
			CHECK_OK(pthread_sigqueue(t[i], SIGRTMIN + 1, (union sigval){ .sival_int = i + round * N }));
		WAIT_FOR(got == N * (round + 1));
	}
	join_many(t, N);
}

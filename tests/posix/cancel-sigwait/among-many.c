// SPDX-License-Identifier: BSD-2-Clause
// All but one of many threads in sigwait are cancelled: the signal that follows is the last one's.
#include "../harness.h"

#define N 50

static atomic_int ready, got;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	int sig;

	ready++;
	CHECK_OK(sigwait(&s, &sig));
	got++;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGUSR1);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	settle();
	for (int i = 0; i < N - 1; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < N - 1; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
	CHECK_EQ(got, 0);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK(join(t[N - 1]) == NULL);
	CHECK_EQ(got, 1);
}

// SPDX-License-Identifier: BSD-2-Clause
// Each thread has its own mask: blocking in one leaves the others as they were, over switches too.
#include "../harness.h"

#define N 6

static atomic_int here;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	sigset_t s = set_of(SIGRTMIN + me), now;

	CHECK_OK(pthread_sigmask(SIG_SETMASK, &s, NULL));
	here++;
	WAIT_FOR(here == N);
	for (int r = 0; r < 30; r++) {
		sched_yield();
		CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
		for (int i = 0; i < N; i++)
			CHECK_EQ(sigismember(&now, SIGRTMIN + i), i == me);
		if (r % 10 == 0)
			sleep_ms(1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	sigset_t now;

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	for (int i = 0; i < N; i++)
		CHECK(!sigismember(&now, SIGRTMIN + i));
}

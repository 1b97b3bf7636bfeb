// SPDX-License-Identifier: BSD-2-Clause
// Each of many threads gets exactly the signals that were sent to it.
#include "../harness.h"

#define N 20

static __thread int mine;
static atomic_int got[N], ready;
static atomic_bool over;

static void handler(int sig UNUSED)
{
	got[mine]++;
}

static void *body(void *arg)
{
	mine = (int)(intptr_t)arg;
	ready++;
	while (!over)
		sleep_ms(1);
	return arg;
}

int main(void)
{
	pthread_t t[N];

	on_signal(SIGRTMIN, handler, SA_RESTART);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			CHECK_OK(pthread_kill(t[i], SIGRTMIN));
	for (int i = 0; i < N; i++)
		WAIT_FOR(got[i] == i + 1);
	over = true;
	join_many(t, N);
	for (int i = 0; i < N; i++)
		CHECK_EQ(got[i], i + 1);
}

// SPDX-License-Identifier: BSD-2-Clause
// Threads that only yield to each other until it is their turn all make progress, on one processor
// too.
#include "../harness.h"

#define N 5

static atomic_int turn;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 200; i++) {
		while (turn % N != me)
			CHECK_OK(sched_yield());
		turn++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(turn, 200 * N);
}

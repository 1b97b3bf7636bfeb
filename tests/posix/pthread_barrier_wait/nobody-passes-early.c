// SPDX-License-Identifier: BSD-2-Clause
// Nobody passes a barrier before all have come, round after round.
#include "../harness.h"

#define N 5
#define ROUNDS 60

static pthread_barrier_t b;
static atomic_int arrived;

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		arrived++;
		pthread_barrier_wait(&b);
		CHECK(arrived >= (i + 1) * N);
		pthread_barrier_wait(&b);
	}
	return arg;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_barrier_init(&b, NULL, N));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(arrived, N * ROUNDS);
}

// SPDX-License-Identifier: BSD-2-Clause
// Many rounds over three barriers of different sizes: nobody passes early, one serial thread a
// round.
#include "stress.h"

#define N 12
#define ROUNDS 3000

static pthread_barrier_t all, group[3];
static atomic_int round_of[N], serial;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	uint64_t r = seed_for(me);

	for (int i = 1; i <= ROUNDS; i++) {
		round_of[me] = i;
		if (pthread_barrier_wait(&group[me % 3]) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		for (int k = me % 3; k < N; k += 3)
			CHECK(round_of[k] >= i);
		dawdle(&r);
		pthread_barrier_wait(&all);
		for (int k = 0; k < N; k++)
			CHECK(round_of[k] >= i && round_of[k] <= i + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[N];

	stress_seed(argc, argv);
	CHECK_OK(pthread_barrier_init(&all, NULL, N));
	for (int i = 0; i < 3; i++)
		CHECK_OK(pthread_barrier_init(&group[i], NULL, N / 3));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(serial, 3 * ROUNDS);
}

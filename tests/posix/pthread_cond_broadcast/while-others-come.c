// SPDX-License-Identifier: BSD-2-Clause
// A broadcast wakes those that wait; who comes later waits for the next.
#include "../harness.h"

#define ROUNDS 50

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int generation, arrived;

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		int mine = generation;

		if (++arrived == 3) {
			arrived = 0;
			generation++;
			CHECK_OK(pthread_cond_broadcast(&c));
		}
		while (mine == generation)
			CHECK_OK(pthread_cond_wait(&c, &m));
		CHECK_EQ(generation - mine, 1);
		CHECK_OK(pthread_mutex_unlock(&m));
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	spawn_many(t, 3, body);
	join_many(t, 3);
	CHECK_EQ(generation, ROUNDS);
}

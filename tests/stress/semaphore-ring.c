// SPDX-License-Identifier: BSD-2-Clause
// Tokens run round a ring of many threads, each of which waits on its own semaphore; none is lost
// or doubled.
#include "stress.h"

#define N 200
#define TOKENS 7
#define LAPS 60

static sem_t sem[N];
static atomic_int passed;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	uint64_t r = seed_for(me);

	for (int i = 0; i < LAPS * TOKENS; i++) {
		CHECK_OK(sem_wait(&sem[me]));
		passed++;
		if (pick(&r, 64) == 0)
			dawdle(&r);
		CHECK_OK(sem_post(&sem[(me + 1) % N]));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t t[N];
	int total = 0, v;

	stress_seed(argc, argv);
	for (int i = 0; i < N; i++)
		CHECK_OK(sem_init(&sem[i], 0, i < TOKENS));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(passed, N * LAPS * TOKENS);
	for (int i = 0; i < N; i++) {
		CHECK_OK(sem_getvalue(&sem[i], &v));
		total += v;
	}
	CHECK_EQ(total, TOKENS);
}

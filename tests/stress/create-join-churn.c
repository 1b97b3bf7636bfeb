// SPDX-License-Identifier: BSD-2-Clause
// Threads create and join threads, detached ones among them, with random stack sizes and lives;
// every one of them runs exactly once.
#include "stress.h"

#define N 6
#define ROUNDS 1500

static atomic_int created, ran;

static void *leaf(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	dawdle(&r);
	ran++;
	return arg;
}

static void one(uint64_t *r, intptr_t id)
{
	bool detached = pick(r, 3) == 0;
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, (16 + pick(r, 64)) * 4096));
	if (detached)
		CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	created++;
	CHECK_OK(pthread_create(&t, &a, leaf, (void *)id));
	CHECK_OK(pthread_attr_destroy(&a));
	if (!detached)
		CHECK((intptr_t)join(t) == id);
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++)
		one(&r, (intptr_t)arg * ROUNDS + i);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[N];

	stress_seed(argc, argv);
	spawn_many(t, N, body);
	join_many(t, N);
	WAIT_FOR(ran == created);
	CHECK_EQ(created, N * ROUNDS);
}

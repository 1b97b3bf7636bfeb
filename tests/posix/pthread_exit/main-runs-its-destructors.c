// SPDX-License-Identifier: BSD-2-Clause
// main that calls pthread_exit runs the destructors of all its keys, in as many rounds as any thread, before it can
// be joined; whatever keys were deleted before, and if there is none left.
#include "../harness.h"

enum { KEYS = 6 };

static pthread_t first;
static pthread_key_t key[KEYS];
static bool joins, uses_all;
static struct { atomic_int rounds, last, joined; } *seen;

static void again(void *arg)
{
	seen->rounds++;
	CHECK_EQ(seen->joined, 0);
	sleep_ms(5);
	CHECK_OK(pthread_setspecific(key[1], arg));
}

static void once(void *arg UNUSED)
{
	seen->last++;
}

static void *joiner(void *arg UNUSED)
{
	CHECK_OK(pthread_join(first, NULL));
	seen->joined = 1;
	CHECK_EQ(seen->rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
	CHECK_EQ(seen->last, 1);
	return NULL;
}

static void child(void)
{
	pthread_key_t spare;

	first = pthread_self();
	join(spawn(nothing, NULL));
	for (int i = 0; i < KEYS; i++)
		CHECK_OK(pthread_key_create(&key[i], i == KEYS - 1 ? once : again));
	CHECK_OK(pthread_key_delete(key[0]));
	CHECK_OK(pthread_setspecific(key[1], &key));
	CHECK_OK(pthread_setspecific(key[KEYS - 1], &key));
	while (uses_all && pthread_key_create(&spare, NULL) == 0)
		;
	if (joins)
		spawn(joiner, NULL);
	pthread_exit(NULL);
}

int main(void)
{
	seen = shared_memory(sizeof(*seen));
	for (int i = 0; i < 4; i++) {
		joins = i & 1;
		uses_all = i & 2;
		memset(seen, 0, sizeof(*seen));
		CHECK_EQ(in_child(child), 0);
		CHECK_EQ(seen->rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
		CHECK_EQ(seen->last, 1);
		CHECK_EQ(seen->joined, joins);
	}
}

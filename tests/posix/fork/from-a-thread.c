// SPDX-License-Identifier: BSD-2-Clause
// fork from a thread: the child has that thread only, with its thread-local data and ID, and can
// start threads.
#include "../harness.h"

#define N 4

static __thread int own;

static void *leaf(void *arg)
{
	return (char *)arg + 1;
}

static void *sleeper(void *arg UNUSED)
{
	for (;;)
		sleep_ms(1000);
	return NULL;
}

static pthread_t forker;

static void child(void)
{
	CHECK_EQ(own, 42);
	CHECK(pthread_equal(pthread_self(), forker));
	for (intptr_t i = 0; i < 20; i++)
		CHECK_EQ((intptr_t)join(spawn(leaf, (void *)i)), i + 1);
	CHECK_EQ(own, 42);
}

static void *body(void *arg UNUSED)
{
	own = 42;
	forker = pthread_self();
	for (int i = 0; i < 3; i++)
		CHECK_EQ(in_child(child), 0);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, sleeper);
	settle();
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// Thread-local variables are initialised per thread, differ in address, and keep their values over
// every wait.
#include "../harness.h"

#define N 10

static __thread int initialised = 42;
static __thread char zeroed[5000];
static _Thread_local long standard = -1;
static void *address[N];
static atomic_int here;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	CHECK_EQ(initialised, 42);
	CHECK_EQ(standard, -1);
	for (size_t i = 0; i < sizeof zeroed; i++)
		CHECK_EQ(zeroed[i], 0);
	address[me] = &initialised;
	here++;
	WAIT_FOR(here == N);
	for (int i = 0; i < 30; i++) {
		initialised = me;
		standard = me * 1000L + i;
		memset(zeroed, me, sizeof zeroed);
		if (i % 10)
			sched_yield();
		else
			sleep_ms(1);
		CHECK_EQ(initialised, me);
		CHECK_EQ(standard, me * 1000L + i);
		CHECK_EQ(zeroed[4999], me);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int r = 0; r < 3; r++) {
		here = 0;
		spawn_many(t, N, body);
		join_many(t, N);
		for (int i = 0; i < N; i++)
			for (int j = 0; j < i; j++)
				CHECK(address[i] != address[j]);
	}
	CHECK_EQ(initialised, 42);
}

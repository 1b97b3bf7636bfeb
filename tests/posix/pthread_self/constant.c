// SPDX-License-Identifier: BSD-2-Clause
// pthread_self gives one thread the same ID for all its life, and different threads different
// ones.
#include "../harness.h"

#define N 8

static pthread_t id[N];
static atomic_int here;

static void *body(void *arg)
{
	int i = (int)(intptr_t)arg;

	id[i] = pthread_self();
	here++;
	WAIT_FOR(here == N);
	for (int r = 0; r < 20; r++) {
		sched_yield();
		CHECK(pthread_equal(pthread_self(), id[i]));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	WAIT_FOR(here == N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < i; j++)
			CHECK(!pthread_equal(id[i], id[j]));
	join_many(t, N);
}

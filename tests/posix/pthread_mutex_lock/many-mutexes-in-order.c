// SPDX-License-Identifier: BSD-2-Clause
// Threads that take a hundred mutexes in one order never meet inside any of them.
#include "../harness.h"

#define N 100

static pthread_mutex_t m[N];
static int value[N];

static void *body(void *arg)
{
	for (int i = 0; i < N; i++) {
		CHECK_OK(pthread_mutex_lock(&m[i]));
		int v = value[i];

		sched_yield();
		value[i] = v + 1;
	}
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_mutex_unlock(&m[i]));
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_mutex_init(&m[i], NULL));
	spawn_many(t, 4, body);
	join_many(t, 4);
	for (int i = 0; i < N; i++)
		CHECK_EQ(value[i], 4);
}

// SPDX-License-Identifier: BSD-2-Clause
// Threads that compute with floating point and vectors without any call get the results of a quiet
// machine, whoever is run between.
#include "../harness.h"

#define N 6

static double work(int seed)
{
	double x = seed, sum = 0;
	float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int i = 0; i < 300000; i++) {
		x = x * 1.0000001 + 0.5;
		for (int k = 0; k < 8; k++)
			v[k] = v[k] * 0.999f + (float)k;
		sum += x / (1.0 + v[i & 7]);
	}
	return sum;
}

static double want[N];

static void *body(void *arg)
{
	for (int i = 0; i < 5; i++)
		CHECK(work((int)(intptr_t)arg) == want[(intptr_t)arg]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		want[i] = work(i);
	spawn_many(t, N, body);
	join_many(t, N);
}

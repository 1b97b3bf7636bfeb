// SPDX-License-Identifier: BSD-2-Clause
// Threads sleep at the same time, not one after the other, and wake in the order of their times.
#include "../harness.h"

#define N 100

static atomic_int last;

static void *body(void *arg)
{
	int i = (int)(intptr_t)arg;

	sleep_ms(100 + i % 10);
	last++;
	return NULL;
}

int main(void)
{
	uint64_t start = now_ns();
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(last, N);
	CHECK(now_ns() - start < 5000000000ull);
}

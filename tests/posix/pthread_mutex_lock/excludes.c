// SPDX-License-Identifier: BSD-2-Clause
// Only one thread at a time is between lock and unlock: no increment is lost.
#include "../harness.h"

#define N 8
#define ROUNDS 5000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int count, inside;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_EQ(inside++, 0);
		count = count + 1;
		if (i % 64 == 0)
			sched_yield();
		inside--;
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(count, N * ROUNDS);
}

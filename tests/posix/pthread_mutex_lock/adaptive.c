// SPDX-License-Identifier: BSD-2-Clause
// An adaptive mutex excludes like any other.
#include "../harness.h"

#define N 4
#define ROUNDS 5000

static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static volatile int count;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		count = count + 1;
		if (i % 500 == 0)
			sleep_ms(1);
		pthread_mutex_unlock(&lock);
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

// SPDX-License-Identifier: BSD-2-Clause
// A spin lock excludes, also with many more threads than processors.
#include "../harness.h"

#define N 8
#define ROUNDS 2000

static pthread_spinlock_t lock;
static volatile int count;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_spin_lock(&lock));
		count = count + 1;
		CHECK_OK(pthread_spin_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(count, N * ROUNDS);
	CHECK_OK(pthread_spin_trylock(&lock));
	CHECK_EQ(pthread_spin_trylock(&lock), EBUSY);
	CHECK_OK(pthread_spin_unlock(&lock));
	CHECK_OK(pthread_spin_destroy(&lock));
}

// SPDX-License-Identifier: BSD-2-Clause
// A writer excludes readers and writers; readers exclude writers.
#include "../harness.h"

#define N 4
#define ROUNDS 400

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int a, b;
static atomic_int readers, writers;

static void *writer(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_rwlock_wrlock(&lock));
		CHECK_EQ(atomic_fetch_add(&writers, 1), 0);
		CHECK_EQ(readers, 0);
		a = a + 1;
		sched_yield();
		b = b + 1;
		writers--;
		CHECK_OK(pthread_rwlock_unlock(&lock));
	}
	return NULL;
}

static void *reader(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_rwlock_rdlock(&lock));
		readers++;
		CHECK_EQ(writers, 0);
		CHECK_EQ(a, b);
		readers--;
		CHECK_OK(pthread_rwlock_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_t r[N], w[N];

	spawn_many(r, N, reader);
	spawn_many(w, N, writer);
	join_many(r, N);
	join_many(w, N);
	CHECK_EQ(a, N * ROUNDS);
}

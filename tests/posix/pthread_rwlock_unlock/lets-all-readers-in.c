// SPDX-License-Identifier: BSD-2-Clause
// When a writer unlocks, all readers that wait get in together.
#include "../harness.h"

#define N 6

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;

static void *body(void *arg)
{
	CHECK_OK(pthread_rwlock_rdlock(&l));
	pthread_barrier_wait(&together);
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_barrier_init(&together, NULL, N));
	CHECK_OK(pthread_rwlock_wrlock(&l));
	spawn_many(t, N, body);
	settle();
	CHECK_OK(pthread_rwlock_unlock(&l));
	join_many(t, N);
}

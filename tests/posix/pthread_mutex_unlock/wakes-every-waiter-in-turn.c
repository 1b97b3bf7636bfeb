// SPDX-License-Identifier: BSD-2-Clause
// Each unlock lets one waiter in, until all have had the mutex.
#include "../harness.h"

#define N 12

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside, had;

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(atomic_fetch_add(&inside, 1), 0);
	sched_yield();
	atomic_fetch_sub(&inside, 1);
	had++;
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_mutex_lock(&m));
	spawn_many(t, N, body);
	settle();
	CHECK_EQ(had, 0);
	CHECK_OK(pthread_mutex_unlock(&m));
	join_many(t, N);
	CHECK_EQ(had, N);
}

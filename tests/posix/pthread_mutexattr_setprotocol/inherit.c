// SPDX-License-Identifier: BSD-2-Clause
// A priority-inheritance mutex excludes, waits, and detects relocking when error-checking.
#include "../harness.h"

#define N 4
#define ROUNDS 500

static pthread_mutex_t lock;
static volatile int count;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&lock));
		count = count + 1;
		if (i % 100 == 0)
			sleep_ms(1);
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[N];
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutexattr_getprotocol(&a, &v));
	CHECK_EQ(v, PTHREAD_PRIO_INHERIT);
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	if (pthread_mutex_init(&lock, &a) == ENOTSUP)
		skip("no priority inheritance here");
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(count, N * ROUNDS);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_EQ(pthread_mutex_lock(&lock), EDEADLK);
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
}

// SPDX-License-Identifier: BSD-2-Clause
// A key's value is NULL in every new thread, and each thread has its own.
#include "../harness.h"

#define N 8

static pthread_key_t key;

static void *body(void *arg)
{
	CHECK(pthread_getspecific(key) == NULL);
	for (intptr_t i = 1; i <= 50; i++) {
		CHECK_OK(pthread_setspecific(key, (char *)arg + i * 100));
		sched_yield();
		CHECK(pthread_getspecific(key) == (char *)arg + i * 100);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_key_create(&key, NULL));
	CHECK_OK(pthread_setspecific(key, &key));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK(pthread_getspecific(key) == &key);
}

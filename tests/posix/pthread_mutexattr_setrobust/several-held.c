// SPDX-License-Identifier: BSD-2-Clause
// A thread that ends with several robust mutexes leaves each of them with EOWNERDEAD.
#include "../harness.h"

#define N 10

static pthread_mutex_t m[N];

static void *dies(void *arg)
{
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_mutex_lock(&m[i]));
	CHECK_OK(pthread_mutex_unlock(&m[4]));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_mutex_init(&m[i], &a));
	join(spawn(dies, NULL));
	for (int i = 0; i < N; i++) {
		CHECK_EQ(pthread_mutex_lock(&m[i]), i == 4 ? 0 : EOWNERDEAD);
		if (i != 4)
			CHECK_OK(pthread_mutex_consistent(&m[i]));
		CHECK_OK(pthread_mutex_unlock(&m[i]));
	}
}

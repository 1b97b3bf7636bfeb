// SPDX-License-Identifier: BSD-2-Clause
// trylock and timedlock tell EOWNERDEAD of a robust mutex, and lock it, as lock does.
#include "../harness.h"

static pthread_mutex_t m;

static void *dies(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	return arg;
}

int main(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 5000);
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&m, &a));
	join(spawn(dies, NULL));
	CHECK_EQ(pthread_mutex_trylock(&m), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(spawn(dies, NULL));
	CHECK_EQ(pthread_mutex_timedlock(&m, &at), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
}

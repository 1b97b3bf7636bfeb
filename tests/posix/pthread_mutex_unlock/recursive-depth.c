// SPDX-License-Identifier: BSD-2-Clause
// A recursive mutex is free for others when it has been unlocked as often as it was locked.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *tries(void *arg)
{
	CHECK_EQ(pthread_mutex_trylock(&m), arg ? 0 : EBUSY);
	if (arg)
		CHECK_OK(pthread_mutex_unlock(&m));
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		CHECK_OK(pthread_mutex_lock(&m));
	for (int i = 0; i < 99; i++)
		CHECK_OK(pthread_mutex_unlock(&m));
	join(spawn(tries, NULL));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(spawn(tries, &m));
}

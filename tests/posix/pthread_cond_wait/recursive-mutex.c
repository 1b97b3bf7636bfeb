// SPDX-License-Identifier: BSD-2-Clause
// A condition works with a recursive mutex that is locked once.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 100; i++) {
		CHECK_OK(pthread_mutex_lock(&lock));
		while (turn != me)
			CHECK_OK(pthread_cond_wait(&cond, &lock));
		turn = !me;
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&lock));
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	spawn_many(t, 2, body);
	join_many(t, 2);
	CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
}

// SPDX-License-Identifier: BSD-2-Clause
// N signals, each sent when a new waiter waits, wake all N.
#include "../harness.h"

#define N 20

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int tokens, taken;

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	while (!tokens)
		CHECK_OK(pthread_cond_wait(&c, &m));
	tokens--;
	taken++;
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	for (int i = 0; i < N; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		tokens++;
		CHECK_OK(pthread_cond_signal(&c));
		CHECK_OK(pthread_mutex_unlock(&m));
	}
	join_many(t, N);
	CHECK_EQ(taken, N);
}

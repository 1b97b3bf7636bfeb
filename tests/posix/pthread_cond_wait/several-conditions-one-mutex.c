// SPDX-License-Identifier: BSD-2-Clause
// Conditions that share a mutex are told apart: a signal on one wakes no waiter of the other.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static bool go[2];
static atomic_int woken[2], in;

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	CHECK_OK(pthread_mutex_lock(&m));
	in++;
	while (!go[i])
		CHECK_OK(pthread_cond_wait(&c[i], &m));
	woken[i]++;
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t[2];

	spawn_many(t, 2, body);
	WAIT_FOR(in == 2);
	CHECK_OK(pthread_mutex_lock(&m));
	go[1] = true;
	CHECK_OK(pthread_cond_signal(&c[1]));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t[1]);
	CHECK_EQ(woken[0], 0);
	CHECK_OK(pthread_mutex_lock(&m));
	go[0] = true;
	CHECK_OK(pthread_cond_broadcast(&c[0]));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t[0]);
}

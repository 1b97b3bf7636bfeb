// SPDX-License-Identifier: BSD-2-Clause
// Each signal wakes at least one waiter, so as many signals as waiters wake all of them, one
// predicate unit each.
#include "../harness.h"

#define N 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int units, waiting, done;

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	waiting++;
	while (units == 0)
		pthread_cond_wait(&cond, &lock);
	units--;
	done++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int value(int *p)
{
	int v;

	pthread_mutex_lock(&lock);
	v = *p;
	pthread_mutex_unlock(&lock);
	return v;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	WAIT_FOR(value(&waiting) == N);
	for (int i = 1; i <= N; i++) {
		pthread_mutex_lock(&lock);
		units++;
		CHECK_OK(pthread_cond_signal(&cond));
		pthread_mutex_unlock(&lock);
		WAIT_FOR(value(&done) == i);
	}
	join_many(t, N);
}

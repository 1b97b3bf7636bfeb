// SPDX-License-Identifier: BSD-2-Clause
// A thousand threads wait on one condition; one broadcast releases them all.
#include "../harness.h"

#define N 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, done;
static bool go;

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	waiting++;
	while (!go)
		pthread_cond_wait(&cond, &lock);
	done++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool all_wait(void)
{
	bool all;

	pthread_mutex_lock(&lock);
	all = waiting == N;
	pthread_mutex_unlock(&lock);
	return all;
}

int main(void)
{
	static pthread_t t[N];
	pthread_attr_t a;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 65536));
	for (int i = 0; i < N; i++)
		if (pthread_create(&t[i], &a, body, NULL) != 0)
			skip("this machine does not allow a thousand threads");
	WAIT_FOR(all_wait());
	pthread_mutex_lock(&lock);
	go = true;
	CHECK_OK(pthread_cond_broadcast(&cond));
	pthread_mutex_unlock(&lock);
	join_many(t, N);
	CHECK_EQ(done, N);
}

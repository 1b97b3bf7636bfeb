// SPDX-License-Identifier: BSD-2-Clause
// A thousand threads may exist at once, all of them alive and distinct.
#include "../harness.h"

#define N 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int here;
static bool go;
static pthread_t self[N];

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	self[(intptr_t)arg] = pthread_self();
	here++;
	pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	static pthread_t t[N];
	pthread_attr_t a;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 65536));
	for (intptr_t i = 0; i < N; i++)
		if (pthread_create(&t[i], &a, body, (void *)i) != 0)
			skip("this machine does not allow a thousand threads");
	pthread_mutex_lock(&lock);
	while (here < N)
		pthread_cond_wait(&changed, &lock);
	go = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (intptr_t i = 0; i < N; i++) {
		CHECK(pthread_equal(t[i], self[i]));
		CHECK(i == 0 || !pthread_equal(t[i], t[i - 1]));
		CHECK(join(t[i]) == (void *)i);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_wait releases the mutex while it waits and owns it when it returns.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool waiting, go;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	waiting = true;
	while (!go)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

static bool is_waiting(void)
{
	bool w;

	pthread_mutex_lock(&lock);
	w = waiting;
	pthread_mutex_unlock(&lock);
	return w;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(is_waiting());
	CHECK_OK(pthread_mutex_lock(&lock));
	go = true;
	CHECK_OK(pthread_cond_signal(&cond));
	settle();
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
}

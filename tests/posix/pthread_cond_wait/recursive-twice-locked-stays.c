// SPDX-License-Identifier: BSD-2-Clause
// A wait with a recursive mutex that is locked once gives it up altogether.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool go;

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	while (!go)
		CHECK_OK(pthread_cond_wait(&c, &m));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	settle();
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_lock(&m));
	go = true;
	CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// A condition may be used with another mutex when nobody waits on it any more.
#include "../harness.h"

static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool go[2];

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	CHECK_OK(pthread_mutex_lock(&m[i]));
	while (!go[i])
		CHECK_OK(pthread_cond_wait(&c, &m[i]));
	CHECK_OK(pthread_mutex_unlock(&m[i]));
	return arg;
}

int main(void)
{
	for (intptr_t i = 0; i < 2; i++) {
		pthread_t t = spawn(body, (void *)i);

		settle();
		CHECK_OK(pthread_mutex_lock(&m[i]));
		go[i] = true;
		CHECK_OK(pthread_cond_signal(&c));
		CHECK_OK(pthread_mutex_unlock(&m[i]));
		join(t);
	}
}

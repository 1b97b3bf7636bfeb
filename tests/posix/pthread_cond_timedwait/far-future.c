// SPDX-License-Identifier: BSD-2-Clause
// A time far beyond any calendar waits until it is signalled.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool go;
static atomic_bool waits;

static void *body(void *arg)
{
	struct timespec at = { .tv_sec = INT64_MAX / 4, .tv_nsec = 999999999 };

	CHECK_OK(pthread_mutex_lock(&m));
	waits = true;
	while (!go)
		CHECK_OK(pthread_cond_timedwait(&c, &m, &at));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_mutex_lock(&m));
	go = true;
	CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
}

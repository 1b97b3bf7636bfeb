// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled in a wait has the mutex again when its first cleanup handler runs.
#include "../harness.h"

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_bool waits, cleaned;

static void clean(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_unlock(&m));
	cleaned = true;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	waits = true;
	pthread_cleanup_push(clean, NULL);
	for (;;)
		CHECK_OK(pthread_cond_wait(&c, &m));
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(cleaned);
	CHECK_OK(pthread_mutex_trylock(&m));
}

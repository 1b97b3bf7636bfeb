// SPDX-License-Identifier: BSD-2-Clause
// When a timed wait ends with ETIMEDOUT, the mutex is locked by the caller, even if another thread
// held it at that time.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_bool waits, locked, released;

static void *body(void *arg)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);

	CHECK_OK(pthread_mutex_lock(&m));
	waits = true;
	CHECK_EQ(pthread_cond_timedwait(&c, &m, &at), ETIMEDOUT);
	CHECK(released || !locked);	/* or it had timed out before */
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(waits);
	CHECK_OK(pthread_mutex_lock(&m));
	locked = true;
	sleep_ms(60);
	released = true;
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
}

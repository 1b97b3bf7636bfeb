// SPDX-License-Identifier: BSD-2-Clause
// A condition whose clock is CLOCK_MONOTONIC measures timed waits on it.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;

static void *body(void *arg UNUSED)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_MONOTONIC, 40);
	int rc;

	pthread_mutex_lock(&lock);
	while ((rc = pthread_cond_timedwait(&cond, &lock, &at)) == 0)
		;
	pthread_mutex_unlock(&lock);
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(now_ns() - start >= 39000000);
	CHECK(now_ns() - start < 5000000000ull);
	return NULL;
}

int main(void)
{
	pthread_condattr_t a;
	clockid_t clock = -1;

	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_getclock(&a, &clock));
	CHECK_EQ(clock, CLOCK_REALTIME);
	CHECK_EQ(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	CHECK_OK(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
	CHECK_OK(pthread_condattr_getclock(&a, &clock));
	CHECK_EQ(clock, CLOCK_MONOTONIC);
	CHECK_OK(pthread_cond_init(&cond, &a));
	join(spawn(body, NULL));
	CHECK_OK(pthread_cond_destroy(&cond));
}

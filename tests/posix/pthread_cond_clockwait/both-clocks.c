// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_clockwait measures its deadline on the clock given; other clocks are EINVAL.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void until(clockid_t clock)
{
	struct timespec at = in_ms(clock, 30);
	int rc;

	while ((rc = pthread_cond_clockwait(&cond, &lock, clock, &at)) == 0)
		;
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(now_on(clock) >= (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
}

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	pthread_mutex_lock(&lock);
	until(CLOCK_MONOTONIC);
	until(CLOCK_REALTIME);
	CHECK_EQ(pthread_cond_clockwait(&cond, &lock, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_timedwait and pthread_cond_clockwait are cancellation points.
#include "../cancel.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void unlock(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void by_time(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20000);

	CHECK_OK(pthread_mutex_lock(&m));
	pthread_cleanup_push(unlock, NULL);
	pthread_cond_timedwait(&c, &m, &at);
	pthread_cleanup_pop(1);
}

static void by_clock(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 20000);

	CHECK_OK(pthread_mutex_lock(&m));
	pthread_cleanup_push(unlock, NULL);
	pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at);
	pthread_cleanup_pop(1);
}

int main(void)
{
	check_cancels(by_time, NULL);
	check_cancels(by_clock, NULL);
}

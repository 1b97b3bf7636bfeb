// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_clocklock measures its deadline on CLOCK_MONOTONIC or CLOCK_REALTIME; other clocks
// are EINVAL.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 30);

	CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	CHECK(now_ns() >= (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	at = in_ms(CLOCK_REALTIME, 10);
	CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_REALTIME, &at), ETIMEDOUT);
	CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	join(spawn(body, NULL));
}

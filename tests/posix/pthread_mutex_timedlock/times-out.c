// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_timedlock on a held mutex gives ETIMEDOUT, not before its deadline; the mutex
// stays with its owner.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg UNUSED)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 40);

	CHECK_EQ(pthread_mutex_timedlock(&lock, &at), ETIMEDOUT);
	CHECK(now_ns() - start >= 35000000);
	at = in_ms(CLOCK_REALTIME, -1000);
	CHECK_EQ(pthread_mutex_timedlock(&lock, &at), ETIMEDOUT);
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	join(spawn(body, NULL));
	CHECK_OK(pthread_mutex_unlock(&lock));
}

// SPDX-License-Identifier: BSD-2-Clause
// A timed lock of a priority-inheritance mutex times out while it is held, and works afterwards.
#include "../harness.h"

static pthread_mutex_t lock;

static void *body(void *arg UNUSED)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(pthread_mutex_timedlock(&lock, &at), ETIMEDOUT);
	CHECK(now_ns() - start >= 25000000);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	if (pthread_mutex_init(&lock, &a) == ENOTSUP)
		skip("no priority inheritance here");
	CHECK_OK(pthread_mutex_lock(&lock));
	join(spawn(body, NULL));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
}

// SPDX-License-Identifier: BSD-2-Clause
// A waiter with a deadline gets the mutex when it is unlocked before that.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, PATIENCE_MS);

	CHECK_OK(pthread_mutex_timedlock(&lock, &at));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	CHECK_OK(pthread_mutex_lock(&lock));
	spawn_many(t, 4, body);
	settle();
	CHECK_OK(pthread_mutex_unlock(&lock));
	join_many(t, 4);
}

// SPDX-License-Identifier: BSD-2-Clause
// A signal without a waiter has no effect: a later wait is not satisfied by it.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec at;
	int rc = 0, returns = 0;

	for (int i = 0; i < 100; i++)
		CHECK_OK(pthread_cond_signal(&cond));
	CHECK_OK(pthread_cond_broadcast(&cond));
	pthread_mutex_lock(&lock);
	at = in_ms(CLOCK_REALTIME, 50);
	while ((rc = pthread_cond_timedwait(&cond, &lock, &at)) == 0)
		returns++;
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(returns < 5);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}

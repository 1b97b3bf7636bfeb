// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait with different deadlines time out each at its own.
#include "../harness.h"

#define N 30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *body(void *arg)
{
	long ms = 10 + 7 * ((long)(intptr_t)arg * 13 % N);
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, ms);
	int rc;

	pthread_mutex_lock(&lock);
	while ((rc = pthread_cond_timedwait(&cond, &lock, &at)) == 0)
		;
	pthread_mutex_unlock(&lock);
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(now_ns() - start + 2000000 >= (uint64_t)ms * 1000000);
	CHECK(now_ns() - start < (uint64_t)(ms + 5000) * 1000000);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
}

// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_timedwait gives ETIMEDOUT at its deadline, not before, and owns the mutex.
#include "../harness.h"

static pthread_mutex_t lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 40);
	int rc;

	CHECK_OK(pthread_mutex_lock(&lock));
	while ((rc = pthread_cond_timedwait(&cond, &lock, &at)) == 0)
		;
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(now_on(CLOCK_REALTIME) >=
	      (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	body(NULL);
	join(spawn(body, NULL));
}

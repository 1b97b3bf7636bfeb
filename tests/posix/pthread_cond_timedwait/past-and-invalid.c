// SPDX-License-Identifier: BSD-2-Clause
// A deadline in the past gives ETIMEDOUT with the mutex held; an invalid one EINVAL.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1000), zero = { 0 };
	struct timespec bad = { .tv_sec = time(NULL) + 5, .tv_nsec = 1000000000 };

	pthread_mutex_lock(&lock);
	CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &past), ETIMEDOUT);
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &zero), ETIMEDOUT);
	CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &bad), EINVAL);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}

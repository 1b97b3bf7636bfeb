// SPDX-License-Identifier: BSD-2-Clause
// A thread cancelled in pthread_cond_wait (or its timed form) owns the mutex again when its
// cleanup handlers run.
#include "../cancel.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int cleaned;

static void unlock(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_unlock(&lock));
	cleaned++;
}

static void with_wait(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	pthread_cleanup_pop(0);
}

static void with_timedwait(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		CHECK_OK(pthread_cond_timedwait(&cond, &lock, &at));
	pthread_cleanup_pop(0);
}

int main(void)
{
	check_cancels(with_wait, NULL);
	check_cancels(with_timedwait, NULL);
	CHECK_EQ(cleaned, 4);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
}

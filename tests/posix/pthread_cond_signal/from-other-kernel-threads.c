// SPDX-License-Identifier: BSD-2-Clause
// Threads that the C library makes itself (SIGEV_THREAD) may signal a condition.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int fired;

static void notify(union sigval v UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&m));
	fired++;
	CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD };
	struct itimerspec v = { .it_interval = ms_span(2), .it_value = ms_span(2) };
	timer_t timer;

	e.sigev_notify_function = notify;
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	CHECK_OK(pthread_mutex_lock(&m));
	while (fired < 10)
		CHECK_OK(pthread_cond_wait(&c, &m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(timer_delete(timer));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

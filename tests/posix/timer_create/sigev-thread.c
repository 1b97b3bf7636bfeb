// SPDX-License-Identifier: BSD-2-Clause
// SIGEV_THREAD runs the function in a thread that may lock, signal conditions and use thread-local
// data.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int calls;

static void tick(union sigval v)
{
	pthread_mutex_lock(&lock);
	CHECK(v.sival_ptr == &lock);
	calls++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	while (calls < 5)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick,
			      .sigev_value.sival_ptr = &lock };
	struct itimerspec v = { .it_interval = ms_span(3), .it_value = ms_span(3) };
	pthread_t t = spawn(body, NULL);
	timer_t timer;

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	join(t);
	CHECK_OK(timer_delete(timer));
}

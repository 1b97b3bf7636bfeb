// SPDX-License-Identifier: BSD-2-Clause
// Threads of SIGEV_THREAD and of pthread_create meet at one barrier.
#include "../harness.h"

static pthread_barrier_t b;
static atomic_int passed;

static void notify(union sigval v UNUSED)
{
	pthread_barrier_wait(&b);
	passed++;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD };
	struct itimerspec v = { .it_value = ms_span(5) };
	timer_t timer;

	e.sigev_notify_function = notify;
	CHECK_OK(pthread_barrier_init(&b, NULL, 2));
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	pthread_barrier_wait(&b);
	WAIT_FOR(passed == 1);
	CHECK_OK(timer_delete(timer));
}

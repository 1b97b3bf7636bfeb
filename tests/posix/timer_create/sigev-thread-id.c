// SPDX-License-Identifier: BSD-2-Clause
// SIGEV_THREAD_ID sends the signal of a timer to the thread whose ID gettid gave.
#include "../harness.h"

static pthread_t target;
static atomic_int calls, wrong;

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), target))
		wrong++;
	calls++;
}

static void *body(void *arg UNUSED)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };
	struct itimerspec v = { .it_interval = ms_span(3), .it_value = ms_span(3) };
	timer_t timer;

	e._sigev_un._tid = gettid();
	target = pthread_self();
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	WAIT_FOR(calls >= 5);
	CHECK_OK(timer_delete(timer));
	return NULL;
}

static void *other(void *arg UNUSED)
{
	WAIT_FOR(calls >= 5);
	return NULL;
}

int main(void)
{
	pthread_t t[3], b;

	on_signal(SIGRTMIN + 3, handler, SA_RESTART);
	spawn_many(t, 3, other);
	b = spawn(body, NULL);
	join(b);
	join_many(t, 3);
	CHECK_EQ(wrong, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// An absolute time in the past fires at once; a value of 0 disarms; the old value is told.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = { .tv_sec = 1 } }, zero = { 0 }, old;
	timer_t t;

	CHECK_OK(timer_create(CLOCK_REALTIME, &e, &t));
	CHECK_OK(timer_settime(t, TIMER_ABSTIME, &v, NULL));
	WAIT_FOR(calls == 1);
	v.it_value = ms_span(5000);
	v.it_interval = ms_span(700);
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	CHECK_OK(timer_settime(t, 0, &zero, &old));
	CHECK(old.it_value.tv_sec <= 5 && old.it_value.tv_sec >= 4);
	CHECK_EQ(old.it_interval.tv_nsec, 700000000);
	CHECK_OK(timer_gettime(t, &old));
	CHECK_EQ(old.it_value.tv_sec + old.it_value.tv_nsec, 0);
	CHECK_OK(timer_delete(t));
	CHECK_EQ(calls, 1);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	join(spawn(body, NULL));
}

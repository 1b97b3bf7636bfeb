// SPDX-License-Identifier: BSD-2-Clause
// While its signal is blocked a periodic timer's expirations are counted as overruns.
#include "../harness.h"

static atomic_int calls, overruns;
static timer_t t;

static void handler(int sig UNUSED)
{
	if (calls++ == 0)
		overruns = timer_getoverrun(t);
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(2), .it_interval = ms_span(2) }, zero = { 0 };

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	sleep_ms(60);
	CHECK_EQ(calls, 0);
	unblock_signal(SIGUSR1);
	WAIT_FOR(calls > 0);
	CHECK_OK(timer_settime(t, 0, &zero, NULL));
	CHECK(overruns >= 5);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	join(spawn(body, NULL));
}

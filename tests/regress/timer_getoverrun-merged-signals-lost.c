// SPDX-License-Identifier: BSD-2-Clause
// Each expiration of a periodic timer counts once, as a call of the handler or as an overrun, also
// while the only thread that admits the signal waits and another one computes.
#include "../posix/harness.h"

enum { PERIOD_MS = 1, SPAN_MS = 300 };
static atomic_int calls, overruns;
static atomic_bool over;
static timer_t t;

static void handler(int sig UNUSED)
{
	calls++;
	overruns += timer_getoverrun(t);
}

static void *waits(void *arg)
{
	unblock_signal(SIGUSR1);
	while (!over)
		sleep_ms(SPAN_MS / 10);
	return arg;
}

static void *computes(void *arg)
{
	while (!over)
		;
	return arg;
}

static int64_t now_ms(void)
{
	struct timespec now;

	CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &now));
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(PERIOD_MS), .it_interval = ms_span(PERIOD_MS) }, zero = { 0 };
	pthread_t waiter, computer[2];

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	waiter = spawn(waits, NULL);
	computer[0] = spawn(computes, NULL);
	computer[1] = spawn(computes, NULL);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	int64_t begin = now_ms();
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	sleep_ms(SPAN_MS);

	int64_t before = now_ms() - begin;
	int counted = calls + overruns;		/* what is still pending comes on top */
	/* Who is to handle it may have to wait for a processor; and a timer that is stopped takes along what is pending. */
	WAIT_FOR(calls + overruns >= before * 8 / 10 / PERIOD_MS);
	CHECK_OK(timer_settime(t, 0, &zero, NULL));
	settle();
	int all = calls + overruns;
	int64_t after = now_ms() - begin;

	over = true;
	join(waiter);
	join(computer[0]);
	join(computer[1]);
	printf("%d calls, %d overruns, %d before the end; %d to %d ms\n", (int)calls, (int)overruns, counted,
	       (int)before, (int)after);
	CHECK(all <= after / PERIOD_MS + 2);
}

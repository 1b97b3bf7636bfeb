// SPDX-License-Identifier: BSD-2-Clause
// A timer may go by the CPU clock of another thread, which pthread_getcpuclockid gives: it ends when that one has computed
// so long, whatever the others do; and by the main thread's, made before there are others.
#include "../harness.h"

enum { MS = 60 };

static atomic_int fired;
static atomic_bool go, stop;

static void fire(int sig UNUSED)
{
	fired++;
}

static void *computes(void *arg)
{
	while (!go)
		sleep_ms(1);
	while (!stop)
		;
	return arg;
}

static void *waits(void *arg)
{
	while (!stop)
		sleep_ms(1);
	return arg;
}

static timer_t arm(clockid_t clock)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(MS) };
	timer_t timer;

	CHECK_OK(timer_create(clock, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	return timer;
}

int main(void)
{
	pthread_t computer, waiter;
	clockid_t its, idle;
	timer_t mine, other, never;

	on_signal(SIGUSR1, fire, SA_RESTART);
	mine = arm(CLOCK_THREAD_CPUTIME_ID);
	computer = spawn(computes, NULL);
	waiter = spawn(waits, NULL);

	CHECK_OK(pthread_getcpuclockid(computer, &its));
	CHECK_OK(pthread_getcpuclockid(waiter, &idle));
	other = arm(its);
	never = arm(idle);
	go = true;
	WAIT_FOR(fired == 1);
	CHECK(now_on(its) > MS * 1000000ull - 5000000);
	stop = true;
	join(computer);

	/* Main has slept so far. */
	CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) < MS * 1000000ull);
	while (fired == 1)
		CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) < 10 * MS * 1000000ull);
	CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) > MS * 1000000ull - 5000000);
	CHECK_EQ(fired, 2);
	join(waiter);
	CHECK_OK(timer_delete(mine));
	CHECK_OK(timer_delete(other));
	CHECK_OK(timer_delete(never));
}

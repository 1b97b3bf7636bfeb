// SPDX-License-Identifier: BSD-2-Clause
// An absolute time on a thread's CPU clock was taken for one on its kernel thread's, which began when it got that.
#include "../posix/harness.h"

enum { BURN_MS = 600, AHEAD_MS = 20, LATE_MS = 500 };	/* a processor that is taken from a virtual machine counts as used */

static volatile sig_atomic_t fired;

static void on_timer(int sig UNUSED)
{
	fired = 1;
}

static uint64_t used(void)
{
	return now_on(CLOCK_THREAD_CPUTIME_ID);
}

static void check_fired(uint64_t at)
{
	while (!fired)
		CHECK(used() < at + LATE_MS * 1000000ull);
	CHECK(used() >= at);
	fired = 0;
}

static struct itimerspec after_ms(uint64_t now, int ms)
{
	uint64_t at = now + (uint64_t)(int64_t)ms * 1000000;

	return (struct itimerspec){ .it_value = { (time_t)(at / 1000000000), (long)(at % 1000000000) } };
}

static void check_timer(struct sigevent *e)
{
	timer_t timer;

	CHECK_OK(timer_create(CLOCK_THREAD_CPUTIME_ID, e, &timer));
	for (int ms = AHEAD_MS; ms >= -AHEAD_MS; ms -= AHEAD_MS) {
		uint64_t now = used();
		struct itimerspec v = after_ms(now, ms);

		CHECK_OK(timer_settime(timer, TIMER_ABSTIME, &v, NULL));
		check_fired(ms > 0 ? now + (uint64_t)ms * 1000000 : now);
	}
	CHECK_OK(timer_delete(timer));
}

static void check_timer_by_number(struct sigevent *e)
{
	int timer;

	CHECK_OK(syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, e, &timer));
	uint64_t now = used();
	struct itimerspec v = after_ms(now, AHEAD_MS);

	CHECK_OK(syscall(SYS_timer_settime, timer, TIMER_ABSTIME, &v, NULL));
	check_fired(now + AHEAD_MS * 1000000ull);
	CHECK_OK(syscall(SYS_timer_delete, timer));
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	uint64_t since = used();

	e._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	while (used() - since < BURN_MS * 1000000ull)
		;
	check_timer(&e);
	check_timer_by_number(&e);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, on_timer, SA_RESTART);
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A timer on CLOCK_THREAD_CPUTIME_ID fires after the thread has computed that long, not while it
// sleeps.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg UNUSED)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 4 };
	struct itimerspec v = { .it_value = ms_span(60) };
	uint64_t start;
	timer_t timer;

	CHECK_OK(timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	sleep_ms(150);
	CHECK_EQ(calls, 0);
	start = now_ns();
	while (calls == 0 && now_ns() - start < PATIENCE_MS * 1000000ull)
		;
	CHECK_EQ(calls, 1);
	CHECK_OK(timer_delete(timer));
	return NULL;
}

int main(void)
{
	on_signal(SIGRTMIN + 4, handler, SA_RESTART);
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A timer on the process's CPU clock fires when the process has computed, not while it sleeps.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(30) };
	timer_t t;

	CHECK_OK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	uint64_t end = now_ns() + 10000000000ull;

	while (!calls && now_ns() < end)
		;
	CHECK_EQ(calls, 1);
	CHECK_OK(timer_delete(t));
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	join(spawn(body, NULL));
}

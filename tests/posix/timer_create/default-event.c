// SPDX-License-Identifier: BSD-2-Clause
// Without an event a timer sends SIGALRM, with its own ID as value.
#define NO_WATCHDOG
#include "../harness.h"

static timer_t t;
static atomic_int calls;

static void handler(int sig, siginfo_t *info, void *uc UNUSED)
{
	CHECK_EQ(sig, SIGALRM);
	CHECK_EQ(info->si_code, SI_TIMER);
	calls++;
}

static void *body(void *arg)
{
	struct itimerspec v = { .it_value = ms_span(2) };

	CHECK_OK(timer_create(CLOCK_MONOTONIC, NULL, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	WAIT_FOR(calls == 1);
	CHECK_OK(timer_delete(t));
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGALRM, &sa, NULL));
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A POSIX timer with SIGEV_SIGNAL set by a thread sends its signal and value to the process, after
// that thread ended too.
#include "../harness.h"

static atomic_int calls, wrong;
static timer_t timer;

static void handler(int sig UNUSED, siginfo_t *info, void *ctx UNUSED)
{
	if (info->si_code != SI_TIMER || info->si_value.sival_int != 99)
		wrong++;
	calls++;
}

static void *body(void *arg UNUSED)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2,
			      .sigev_value.sival_int = 99 };
	struct itimerspec v = { .it_interval = ms_span(3), .it_value = ms_span(3) };

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGRTMIN + 2, &sa, NULL));
	join(spawn(body, NULL));
	WAIT_FOR(calls >= 5);
	CHECK_OK(timer_delete(timer));
	CHECK_EQ(wrong, 0);
}

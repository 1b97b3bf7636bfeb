// SPDX-License-Identifier: BSD-2-Clause
// A child has none of its parent's timers.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(20) };
	timer_t t;
	pid_t pid;
	int status;

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	pid = fork_watched();
	if (pid == 0) {
		int before = calls;	/* it may have been late */

		sleep_ms(60);
		_exit(calls != before || timer_gettime(t, &v) != -1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	WAIT_FOR(calls == 1);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	join(spawn(body, NULL));
}

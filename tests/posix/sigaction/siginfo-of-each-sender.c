// SPDX-License-Identifier: BSD-2-Clause
// si_code and si_pid tell who sent: kill SI_USER, sigqueue SI_QUEUE with its value, pthread_kill and
// tgkill SI_TKILL, a timer SI_TIMER.
#include "../harness.h"

static siginfo_t last;
static atomic_int calls;

static void handler(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	last = *info;
	calls++;
}

static void expect(int n, int code)
{
	WAIT_FOR(calls == n);
	CHECK_EQ(last.si_signo, SIGUSR1);
	CHECK_EQ(last.si_code, code);
	if (code != SI_TIMER) {
		CHECK_EQ(last.si_pid, getpid());
		CHECK_EQ(last.si_uid, getuid());
	}
}

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(1) };
	timer_t timer;

	CHECK_OK(kill(getpid(), SIGUSR1));
	expect(1, SI_USER);
	CHECK_OK(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 77 }));
	expect(2, SI_QUEUE);
	CHECK_EQ(last.si_value.sival_int, 77);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	expect(3, SI_TKILL);
	e.sigev_value.sival_int = 78;
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	expect(4, SI_TIMER);
	CHECK_EQ(last.si_value.sival_int, 78);
	CHECK_OK(timer_delete(timer));
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	join(spawn(body, NULL));
}

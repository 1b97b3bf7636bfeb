// SPDX-License-Identifier: BSD-2-Clause
// A SIGCONT that is sent to a thread runs its handler there, with the value it was sent with, or ends its wait.
#include "../harness.h"

static pthread_t target, handled_by;
static atomic_int handled, value, taken;
static atomic_bool is_ready, is_over;

static void handles(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	handled_by = pthread_self();
	value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
	handled++;
}

static void *computes(void *arg)
{
	is_ready = true;
	while (!is_over)
		sched_yield();
	return arg;
}

static void *waits(void *arg)
{
	sigset_t set = set_of(SIGCONT);
	siginfo_t info;

	block_signal(SIGCONT);
	is_ready = true;
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(sigwaitinfo(&set, &info), SIGCONT);
		taken++;
	}
	CHECK_EQ(info.si_value.sival_int, 7);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handles, .sa_flags = SA_SIGINFO | SA_RESTART };

	target = spawn(waits, NULL);
	WAIT_FOR(is_ready);
	settle();
	CHECK_OK(pthread_kill(target, SIGCONT));
	WAIT_FOR(taken == 1);
	CHECK_OK(pthread_sigqueue(target, SIGCONT, (union sigval){ .sival_int = 7 }));
	join(target);

	CHECK_OK(sigaction(SIGCONT, &sa, NULL));
	is_ready = false;
	target = spawn(computes, NULL);
	WAIT_FOR(is_ready);
	CHECK_OK(pthread_kill(target, SIGCONT));
	WAIT_FOR(handled == 1);
	CHECK(pthread_equal(handled_by, target));
	CHECK_OK(pthread_sigqueue(target, SIGCONT, (union sigval){ .sival_int = 9 }));
	WAIT_FOR(handled == 2);
	CHECK(pthread_equal(handled_by, target));
	CHECK_EQ(value, 9);
	CHECK_OK(raise(SIGCONT));
	CHECK_EQ(handled, 3);
	CHECK(pthread_equal(handled_by, pthread_self()));
	is_over = true;
	join(target);
	return 0;
}

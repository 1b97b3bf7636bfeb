// SPDX-License-Identifier: BSD-2-Clause
// A handler of another signal ends the wait of the thread that runs it, with EINTR, and no other's.
#include "../harness.h"

#define N 10

static atomic_int ready, calls, ended, got;
static pthread_t t[N];

static void handler(int sig UNUSED)
{
	CHECK(pthread_equal(pthread_self(), t[3]));
	calls++;
}

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR1);
	siginfo_t info;
	int sig;

	ready++;
	if ((intptr_t)arg == 3) {
		CHECK_ERRNO(sigwaitinfo(&s, &info), EINTR);
		ended++;
	}
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR1);
	got++;
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR2, handler, SA_RESTART);
	block_signal(SIGUSR1);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	/* It may not be waiting yet: then the handler has run before, and another one ends the wait. */
	while (!ended) {
		settle();
		kill_if_there(t[3], SIGUSR2);
		for (int before = calls; calls == before && !ended;)
			sched_yield();
	}
	CHECK_EQ(got, 0);
	for (int i = 1; i <= N; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(got == i);
	}
	join_many(t, N);
	CHECK_EQ(ended, 1);
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread that became the only one to admit a queued signal left, on its way to a kernel thread of its own, another
// one that admitted it for a moment longer: what the kernel gave to that came behind others.
#include "../posix/harness.h"

enum { ROUNDS = 400, SIGNALS = 8, SECONDS = 3 };

static atomic_int got, out_of_order, is_ready, is_over;

static void count(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (info->si_value.sival_int != got)
		out_of_order++;
	got++;
}

static void *admits(void *arg)
{
	is_ready = 1;
	while (got < SIGNALS)
		sched_yield();
	return arg;
}

/* So that kernel threads wait for a processor. */
static void *blocks_and_computes(void *arg)
{
	while (!is_over)
		for (volatile int i = 0; i < 20000; i++)
			;
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART };
	uint64_t stop = now_ns() + SECONDS * UINT64_C(1000000000);
	sigset_t set;
	pthread_t t, other[2];

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	spawn_many(other, 2, blocks_and_computes);
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	CHECK_OK(sigaction(SIGRTMIN, &act, NULL));	/* main alone admits it now: it is bound, and sends by the kernel */
	for (int i = 0; i < ROUNDS && now_ns() < stop; i++) {
		got = is_ready = 0;
		t = spawn(admits, NULL);
		WAIT_FOR(is_ready);
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
		for (int n = 0; n < SIGNALS; n++)
			CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = n }));
		join(t);
		CHECK_EQ(out_of_order, 0);
		CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	}
	is_over = 1;
	join_many(other, 2);
	return 0;
}

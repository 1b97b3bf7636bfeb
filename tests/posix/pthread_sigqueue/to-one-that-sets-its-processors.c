// SPDX-License-Identifier: BSD-2-Clause
// Queued signals for a thread all arrive, each once and in their order, though it sets its processors meanwhile.
#include "../harness.h"

enum { THREADS = 50, SIGNALS = 8 };

static __thread int got;
static atomic_int total, started;

static void count(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	CHECK_EQ(info->si_value.sival_int, got);
	got++;
	total++;
}

static void *sets(void *arg)
{
	cpu_set_t *one = arg;

	started++;
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(*one), one));
	WAIT_FOR(got == SIGNALS);
	return NULL;
}

int main(void)
{
	cpu_set_t one;
	struct sigaction act = { .sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGRTMIN, &act, NULL));
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	for (int i = 0; i < THREADS; i++) {
		pthread_t t = spawn(sets, &one);

		while (started != i + 1)
			;			/* at the same moment */
		for (int n = 0; n < SIGNALS; n++)
			CHECK_OK(pthread_sigqueue(t, SIGRTMIN, (union sigval){ .sival_int = n }));
		join(t);
		CHECK_EQ(total, SIGNALS * (i + 1));
	}
}

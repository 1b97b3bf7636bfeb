// SPDX-License-Identifier: BSD-2-Clause
// A thread's mask is the same after it has set its processors, SIGURG in it or not.
#include "../harness.h"
#include <sys/resource.h>

static void *body(void *arg)
{
	const int signals[] = { SIGURG, SIGUSR1, SIGRTMIN, SIGCHLD };
	sigset_t before, after;
	cpu_set_t cpus;

	for (int i = 0; i < 4; i++)
		if ((intptr_t)arg >> i & 1)
			block_signal(signals[i]);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &before));
	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	for (int cpu = 0; CPU_COUNT(&cpus) > 1; cpu++)
		CPU_CLR(cpu, &cpus);
	CHECK_OK(sched_setaffinity(0, sizeof(cpus), &cpus));
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)gettid(), 1));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &after));
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		CHECK_EQ(sigismember(&before, sig), sigismember(&after, sig));
	return NULL;
}

int main(void)
{
	pthread_t t[16];

	spawn_many(t, 16, body);
	join_many(t, 16);
}

// SPDX-License-Identifier: BSD-2-Clause
// The child has the processors of the thread that called fork, and so have the threads that it makes.
#include "harness.h"
#include <sys/wait.h>

static cpu_set_t all, own;

static void check_own(void)
{
	cpu_set_t now;

	CHECK_OK(sched_getaffinity(0, sizeof(now), &now));
	CHECK(CPU_EQUAL(&now, &own));
}

static void *look(void *arg UNUSED)
{
	check_own();
	return NULL;
}

static void *forks(void *arg UNUSED)
{
	int status;

	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(own), &own));
	pid_t pid = fork_watched();

	if (pid == 0) {
		check_own();
		join(spawn(look, NULL));
		check_own();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	check_own();
	return NULL;
}

int main(void)
{
	cpu_set_t now;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(all), &all));
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			cpu = i;
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	join(spawn(forks, NULL));
	CHECK_OK(sched_getaffinity(0, sizeof(now), &now));
	CHECK(CPU_EQUAL(&now, &all));
}

// SPDX-License-Identifier: BSD-2-Clause
// More threads than processors are blocked in the kernel for good by raw system call; a computing
// thread and a sleeping thread still get on, and all come back.
#include "stress.h"
#include <linux/futex.h>

static atomic_int gate, inside;
static atomic_ulong steps;
static atomic_bool stop;

static void *blocked(void *arg UNUSED)
{
	inside++;
	while (gate == 0)
		raw_syscall(SYS_futex, (long)&gate, FUTEX_WAIT, 0, 0);
	return NULL;
}

static void *computes(void *arg UNUSED)
{
	while (!stop)
		steps++;
	return NULL;
}

static void *sleeps(void *arg UNUSED)
{
	for (int i = 0; i < 30; i++)
		sleep_ms(1);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = 10 + 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[n], c, s;
	unsigned long before;

	stress_seed(argc, argv);
	spawn_many(t, n, blocked);
	WAIT_FOR(inside == n);
	c = spawn(computes, NULL);
	s = spawn(sleeps, NULL);
	join(s);
	before = steps;
	WAIT_FOR(steps > before + 1000);
	gate = 1;
	raw_syscall(SYS_futex, (long)&gate, FUTEX_WAKE, INT_MAX, 0);
	join_many(t, n);
	stop = true;
	join(c);
}

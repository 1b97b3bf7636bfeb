// SPDX-License-Identifier: BSD-2-Clause
// In the child of a thread with a kernel thread of its own, all threads that the forked one made were tied to the CPU that
// it ran on just then.
#include "../posix/harness.h"
#include <sys/prctl.h>

enum { THREADS = 8, SLACK_NS = 60000 };

static cpu_set_t all;

static void *has_all(void *arg)
{
	cpu_set_t mine;

	sched_yield();
	CHECK_OK(sched_getaffinity(0, sizeof mine, &mine));
	CHECK(CPU_EQUAL(&mine, &all));
	return arg;
}

static void be_a_child(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, has_all);
	join_many(t, THREADS);
}

static void *forks(void *arg)
{
	CHECK_OK(prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0));
	CHECK_EQ(in_child(be_a_child), 0);
	return arg;
}

int main(void)
{
	if (!has_two_cpus())
		skip("needs two CPUs");
	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	join(spawn(forks, NULL));
}

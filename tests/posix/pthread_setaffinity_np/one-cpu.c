// SPDX-License-Identifier: BSD-2-Clause
// A thread confined to one CPU runs there, reads the mask back, and others keep theirs.
#include "../harness.h"

static cpu_set_t all;
static atomic_int step;

static int first_cpu(void)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			return i;
	return -1;
}

static void *body(void *arg UNUSED)
{
	cpu_set_t one, got;
	int cpu = first_cpu();

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(sched_getcpu(), cpu);
		sched_yield();
	}
	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof got, &got));
	CHECK(CPU_EQUAL(&one, &got));
	CHECK_OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_EQUAL(&one, &got));
	step = 1;
	WAIT_FOR(step == 2);
	return NULL;
}

static void *other(void *arg UNUSED)
{
	cpu_set_t got;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof got, &got));
	CHECK(CPU_EQUAL(&all, &got));
	return NULL;
}

int main(void)
{
	cpu_set_t got, none;
	pthread_t t;

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	CHECK_OK(pthread_getaffinity_np(t, sizeof got, &got));
	CHECK_EQ(CPU_COUNT(&got), 1);
	join(spawn(other, NULL));
	CHECK_OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_EQUAL(&all, &got));
	step = 2;
	join(t);
	CPU_ZERO(&none);
	CHECK_EQ(pthread_setaffinity_np(pthread_self(), sizeof none, &none), EINVAL);
}

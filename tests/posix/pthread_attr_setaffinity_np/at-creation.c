// SPDX-License-Identifier: BSD-2-Clause
// A thread created with an affinity attribute has that mask from the start; its own children
// inherit it.
#include "../harness.h"

static int cpu = -1;

static void *grandchild(void *arg UNUSED)
{
	cpu_set_t got;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof got, &got));
	CHECK_EQ(CPU_COUNT(&got), 1);
	CHECK(CPU_ISSET(cpu, &got));
	CHECK_EQ(sched_getcpu(), cpu);
	return NULL;
}

static void *body(void *arg UNUSED)
{
	grandchild(NULL);
	join(spawn(grandchild, NULL));
	return NULL;
}

int main(void)
{
	cpu_set_t all, one;
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			cpu = i;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setaffinity_np(&a, sizeof one, &one));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	join(t);
}

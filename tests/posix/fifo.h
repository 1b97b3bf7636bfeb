// SPDX-License-Identifier: BSD-2-Clause
/* Real-time threads on one processor: of those that do not wait the one with the highest priority runs. */
#ifndef UPCALL_POSIX_FIFO_H
#define UPCALL_POSIX_FIFO_H

#include "harness.h"

static pthread_t spawn_fifo(int priority, void *(*fn)(void *), void *arg)
{
	struct sched_param p = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&attr, &p));

	int rc = pthread_create(&t, &attr, fn, arg);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	return t;
}

static void use_one_cpu(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(set), &set));
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(sched_setaffinity(0, sizeof(one), &one));
}

#endif

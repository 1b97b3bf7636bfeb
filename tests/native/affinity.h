/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests whose program is given other CPUs while it runs, as by taskset -a. */
#ifndef NATIVE_AFFINITY_H
#define NATIVE_AFFINITY_H

#include "check.h"

#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>

/* As a call that nobody wraps: the caller is not to be bound for it. */
static inline long raw_setaffinity(int tid, const cpu_set_t *set)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_sched_setaffinity), "D"((long)tid), "S"(sizeof(*set)), "d"(set)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline void let_all_run_on(const cpu_set_t *set)
{
	DIR *d = opendir("/proc/self/task");

	CHECK(d);
	for (struct dirent *e; (e = readdir(d)); ) {
		long err = e->d_name[0] == '.' ? 0 : raw_setaffinity(atoi(e->d_name), set);

		CHECK(err == 0 || err == -ESRCH);
	}
	closedir(d);
}

/* The first two, or the one, of those that the program may use are all that it may use from now on; before threads. */
static inline cpu_set_t keep_two_cpus(int ret_cpus[2])
{
	cpu_set_t set;
	int n = 0;

	CHECK_IS(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && n < 2)
			ret_cpus[n++] = cpu;
		else
			CPU_CLR(cpu, &set);
	if (n < 2)
		ret_cpus[1] = ret_cpus[0];
	CHECK_IS(sched_setaffinity(0, sizeof(set), &set), 0);
	return set;
}

static inline cpu_set_t only(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return set;
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* How much of its processors a process leaves unused while they idle, by the kernel's account: for an observer. */
#ifndef STRESS_IDLE_H
#define STRESS_IDLE_H

#include "stress.h"
#include <sched.h>

#define IDLE_MAX 0.20		/* of a span; the kernel's account comes in ticks, of 10 ms on some kernels */

/* Of the processors that the process may use: the time that they idled, and that the machine below took from them. */
static inline void account_of(const cpu_set_t *set, uint64_t *idle, uint64_t *stolen)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[512];
	FILE *f = fopen("/proc/stat", "r");

	*idle = *stolen = 0;
	while (f && fgets(line, sizeof line, f)) {
		unsigned cpu;
		unsigned long long v[8] = { 0 };

		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4],
			   &v[5], &v[6], &v[7]) < 6 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, set))
			continue;
		*idle += (v[3] + v[4]) * tick;
		*stolen += v[7] * tick;
	}
	if (f)
		fclose(f);
}

static inline uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* How much of the window was left unused though processors were idle. */
static inline uint64_t unused(uint64_t span, int nvprocs, uint64_t used, uint64_t idle)
{
	uint64_t left = above(span * (uint64_t)nvprocs, used);

	return left < idle ? left : idle;
}

#endif

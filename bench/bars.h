// SPDX-License-Identifier: BSD-2-Clause
/* What a program's cases are to reach, as a table, and the lines of bench.h that say so. */
#ifndef BENCH_BARS_H
#define BENCH_BARS_H

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum bar_place { ANYWHERE, ON_ONE_CPU, ON_SEVERAL_CPUS };

struct bar {
	const char *of_case;
	enum bar_place place;
	const char *metric, *unit;
	double value;
	const char *side, *of;		/* at-most or at-least; of: a system, or NULL */
};

/* To be asked before there are threads: a library may bind those that it has to processors. */
static inline enum bar_place bar_place_here(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1 ? ON_ONE_CPU : ON_SEVERAL_CPUS;
}

/* After the figures. */
static inline void put_bars(const struct bar *bars, size_t n, const char *of_case, enum bar_place here)
{
	for (const struct bar *b = bars; b < bars + n; b++)
		if (!strcmp(b->of_case, of_case) && (b->place == ANYWHERE || b->place == here))
			printf("bound %s %.6g %s %s%s%s\n", b->metric, b->value, b->unit, b->side, b->of ? " " : "",
			       b->of ? b->of : "");
}

#endif

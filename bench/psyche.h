// SPDX-License-Identifier: BSD-2-Clause
#ifndef BENCH_PSYCHE_H
#define BENCH_PSYCHE_H

#include "bench.h"

/* phases.c: tasks in phases, beside none, one and two competitors for each processor. */
void measure_phases(const struct bench_args *args);
/* Is such a competitor, until its parent has ended or the time is up. */
_Noreturn void compete(const struct bench_args *args, unsigned cpu);

#endif

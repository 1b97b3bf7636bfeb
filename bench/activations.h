// SPDX-License-Identifier: BSD-2-Clause
#ifndef BENCH_ACTIVATIONS_H
#define BENCH_ACTIVATIONS_H

#include <pthread.h>
#include <stdbool.h>

#include "bench.h"

/* What the paper has in place of a figure, by what stands here for its thread systems; 0: nothing. */
struct in_1991 {
	double ultrix_processes, topaz_threads, old_fastthreads, new_fastthreads;
};
void paper_1991(const struct bench_args *args, const char *metric, struct in_1991 values, const char *unit);

/* nbody.c: with a cache of so many per cent of what is read, perhaps two copies of the program at once. */
void measure_nbody(const struct bench_args *args, unsigned percent, bool is_twice);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#ifndef BENCH_ACTIVATIONS_H
#define BENCH_ACTIVATIONS_H

#include <pthread.h>
#include <stdbool.h>

#include "bench.h"

void note_once(const struct bench_args *args, const char *text);

/* nbody.c: with a cache of so many per cent of what is read, perhaps two copies of the program at once. */
void measure_nbody(const struct bench_args *args, unsigned percent, bool is_twice);

#endif

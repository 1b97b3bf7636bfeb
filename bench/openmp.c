// SPDX-License-Identifier: BSD-2-Clause
/*
 * OpenMP by gcc's library, which calls the kernel by itself when a thread waits:
 *
 *   barrier	all threads of a team meet
 *   loop	a short loop is shared out to a team, from its start to its end
 *   critical	each thread enters a critical section, again and again; per entry
 *
 * with as many threads as the process has processors, or (-4x) with four times as many, as happens where several
 * libraries that are parallel by themselves meet in one program.
 */
#include <string.h>

#include "bench.h"

#ifdef _OPENMP
#include <omp.h>

enum { BARRIERS = 100, LOOPS = 50, STEPS = 2000, ENTRIES = 500 };

static int threads;
static double cells[STEPS];

static void meet(void)
{
	#pragma omp parallel num_threads(threads)
	for (int i = 0; i < BARRIERS; i++) {
		#pragma omp barrier
	}
}

static void share(void)
{
	for (int round = 0; round < LOOPS; round++) {
		#pragma omp parallel for schedule(static) num_threads(threads)
		for (int i = 0; i < STEPS; i++)
			cells[i] = cells[i] * 0.99 + i;
	}
}

static void enter(void)
{
	static long entries;

	#pragma omp parallel num_threads(threads)
	for (int i = 0; i < ENTRIES; i++) {
		#pragma omp critical
		entries++;
	}
}

static void measure(const struct bench_args *args)
{
	threads = omp_get_num_procs() * (strstr(args->name, "-4x") ? 4 : 1);
	omp_set_dynamic(0);
	if (!strncmp(args->name, "barrier", strlen("barrier")))
		put("-", mean_time_of(meet, BARRIERS, args->length_ns), "ns");
	else if (!strncmp(args->name, "loop", strlen("loop")))
		put("-", mean_time_of(share, LOOPS, args->length_ns), "ns");
	else if (!strncmp(args->name, "critical", strlen("critical")))
		put("-", mean_time_of(enter, (unsigned)(ENTRIES * threads), args->length_ns), "ns");
	else
		die("no case %s", args->name);
}
#endif

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);

#ifdef _OPENMP
	measure(&args);
	return 0;
#else
	note("%s: the compiler had no OpenMP", args.name);
	return EXIT_SKIP;
#endif
}

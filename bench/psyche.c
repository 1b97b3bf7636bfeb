// SPDX-License-Identifier: BSD-2-Clause
/*
 * The programs of Marsh, Scott, LeBlanc and Markatos, "First-Class User-Level Threads" (1991), who
 * ran them on 16 processors (MC68020, 16 MHz) with kernel processes and with user-level threads:
 *
 *   gauss	Gaussian elimination of 512 x 512, 128 threads, a tree barrier after each of the rows
 *   sort	4,608 numbers, 128 threads, 4,608 central barriers: an odd-even transposition sort
 *   gauss-N	the elimination with N threads for each processor: how much of the processors' time
 *		went into it, against one thread that waits for nobody (figure 3 of the paper)
 *   phases	see phases.c
 *
 * Kernel processes stand beside glibc's threads, user-level threads beside Upcall's.  The solution is
 * known beforehand and compared, and so is the order.  The program is repeated for the time it has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "psyche.h"
#include "threads.h"
#include "steps.h"

enum { PAPER_CPUS = 16 };

/* speed-up: the paper's on its processors, 0 where it tells none. */
static void measure_share(unsigned per_cpu, uint64_t length_ns, const char *whose, double paper_speedup)
{
	put("-", gauss_percent(per_cpu, length_ns), "%");
	if (paper_speedup > 0)
		paper("-", 100 * paper_speedup / PAPER_CPUS, "%", whose);
}

static void measure_time(double (*once)(unsigned n), uint64_t length_ns, const char *whose, double paper_s)
{
	put("-", mean_ns(once, THREADS, length_ns) / 1e6, "ms");
	paper("-", paper_s * 1e3, "ms", whose);
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	bool is_glibc = !strcmp(args.system, "glibc");
	const char *whose = is_glibc ? "kernel processes" : "user-level threads";
	char *end;

	if (!strcmp(args.name, "gauss")) {
		measure_time(once_gauss, args.length_ns, whose, is_glibc ? 33.8 : 22.0);
	} else if (!strcmp(args.name, "sort")) {
		measure_time(once_sort, args.length_ns, whose, is_glibc ? 44.3 : 27.1);
	} else if (!strncmp(args.name, "gauss-", 6)) {
		unsigned n = (unsigned)strtoul(args.name + 6, &end, 10);

		if (*end || n < 1)
			die("no case '%s'", args.name);
		measure_share(n, args.length_ns, whose,
			      n == 1 ? (is_glibc ? 14.0 : 14.2) : n == 8 ? (is_glibc ? 7.3 : 11.1) : 0);
	} else if (!strcmp(args.name, "phases")) {
		measure_phases(&args);
	} else if (!strncmp(args.name, "compete-", 8)) {
		compete(&args, (unsigned)strtoul(args.name + 8, NULL, 10));
	} else {
		die("no case '%s'", args.name);
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICES = 7 };

/* At the end: a figure that could not be written is a failure. */
static void flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	fprintf(stderr, "%s: standard output: %s\n", program_invocation_short_name, strerror(errno));
	_exit(1);
}

struct bench_args bench_parse(int argc, char **argv)
{
	char *end = "";
	double seconds = argc == 4 ? strtod(argv[2], &end) : 0;

	if (*end || !(seconds > 0 && seconds < 3600)) {
		fprintf(stderr, "usage: %s CASE SECONDS SYSTEM\n", program_invocation_short_name);
		exit(2);
	}
	must("atexit", atexit(flush) ? ENOMEM : 0);
	return (struct bench_args){ argv[1], (uint64_t)(seconds * 1e9), argv[3] };
}

void put(const char *metric, double value, const char *unit)
{
	printf("%s %.6g %s\n", metric, value, unit);
}

void paper(const char *metric, double value, const char *unit, const char *whose)
{
	printf("paper %s %.6g %s %s\n", metric, value, unit, whose);
}

void bound_of(const char *metric, double times, const char *unit, const char *system)
{
	printf("bound %s %.6g %s at-most %s\n", metric, times, unit, system);
}

void bound_least_of(const char *metric, double times, const char *unit, const char *system)
{
	printf("bound %s %.6g %s at-least %s\n", metric, times, unit, system);
}

void bound_above(const char *metric, double value, const char *unit, const char *system)
{
	printf("bound %s %.6g %s at-most above %s\n", metric, value, unit, system);
}

void bound(const char *metric, double value, const char *unit, const char *side)
{
	printf("bound %s %.6g %s %s\n", metric, value, unit, side);
}

void note(const char *fmt, ...)
{
	va_list ap;

	fputs("note ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

double mean_time_of(void (*operations)(void), unsigned n, uint64_t length_ns)
{
	uint64_t t_start = now_ns(), elapsed, count = 0;

	do {
		operations();
		count += n;
		elapsed = now_ns() - t_start;
	} while (elapsed < length_ns);
	return (double)elapsed / (double)count;
}

double time_of(void (*operations)(void), unsigned n, uint64_t length_ns)
{
	double least;

	operations();
	least = mean_time_of(operations, n, length_ns / SLICES);
	for (int i = 1; i < SLICES; i++) {
		double ns = mean_time_of(operations, n, length_ns / SLICES);

		least = ns < least ? ns : least;
	}
	return least;
}

void must(const char *what, int error)
{
	if (error)
		die("%s: %s", what, strerror(error));
}

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

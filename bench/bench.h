// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the measuring programs share.  They are plain pthreads programs that know nothing of Upcall,
 * so that every thread system runs the same binary.  Each is called
 *
 *   PROGRAM CASE SECONDS SYSTEM
 *
 * measures for about so long, and prints lines `METRIC VALUE UNIT` (METRIC is "-" where the case
 * has one figure only), `paper METRIC VALUE UNIT WHOSE` for what a paper has in its place,
 * `bound METRIC VALUE UNIT at-most|at-least [[above] SYSTEM]` for what it, its ratio to that of the
 * other system, or how far it is above that, is to be, and `note TEXT`.  SYSTEM may be "peers", the
 * best of those that take part.  It exits with 0, or with 77 after a note that says why the case
 * cannot be measured here.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { EXIT_SKIP = 77 };

struct bench_args {
	const char *name;	/* of the case */
	uint64_t length_ns;
	const char *system;
};

struct bench_args bench_parse(int argc, char **argv);

void put(const char *metric, double value, const char *unit);
/* After the figure, in its unit. */
void paper(const char *metric, double value, const char *unit, const char *whose);
/* The figure is to be at most, or at least, so many times that of the other system. */
void bound_of(const char *metric, double times, const char *unit, const char *system);
void bound_least_of(const char *metric, double times, const char *unit, const char *system);
/* At most so much more than that of the other system. */
void bound_above(const char *metric, double value, const char *unit, const char *system);
/* side: at-most or at-least. */
void bound(const char *metric, double value, const char *unit, const char *side);
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The time of one of the `n` operations of a call: the least of some slices of the time, as other
 * processes took something of the others.
 */
double time_of(void (*operations)(void), unsigned n, uint64_t length_ns);
/* The mean, over all of the time. */
double mean_time_of(void (*operations)(void), unsigned n, uint64_t length_ns);

/* Ends the program unless `error` (an error number) is 0. */
void must(const char *what, int error);
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif

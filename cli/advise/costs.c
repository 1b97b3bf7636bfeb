// SPDX-License-Identifier: BSD-2-Clause
/*
 * What threads cost here, by the benchmarks' own programs on one processor, some tenths of a second each.
 * They run in a process of their own, as they want an environment and signals that the advised program must not see.
 */
#include "advise.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench/bench.h"
#include "../cli.h"

#define SECONDS 0.1
enum { TRIES = 3 };	/* of which the least counts: others may have had the processor meanwhile */

/* Of a call's figures, by their names; NAN: not given. */
struct figures {
	const char *names[2];
	double values[2];
};

static void take_figure(void *arg, const char *metric, double value, const char *unit)
{
	struct figures *f = arg;

	(void)unit;
	for (int i = 0; i < 2; i++)
		if (f->names[i] && !strcmp(metric, f->names[i]))
			f->values[i] = fmin(f->values[i], value);	/* the number, where the other is none yet */
}

static void ignore_paper(void *arg, const char *metric, double value, const char *unit, const char *whose)
{
	(void)arg, (void)metric, (void)value, (void)unit, (void)whose;
}

static void ignore_bound(void *arg, const char *metric, const char *unit, const struct bar *bar)
{
	(void)arg, (void)metric, (void)unit, (void)bar;
}

static void ignore_note(void *arg, const char *text)
{
	(void)arg, (void)text;
}

static struct figures figures_of(const char *program, const char *name, enum system system,
				 const char *a, const char *b)
{
	struct figures f = { { a, b }, { NAN, NAN } };
	struct listener listener = { take_figure, ignore_paper, ignore_bound, ignore_note, &f };
	/* Threads that only block would get kernel threads of their own: what is asked is what the others pay. */
	struct call call = { .program = program, .name = name, .system = system, .ncpus = 1, .seconds = SECONDS,
			     .limit_s = 60, .stays_unbound = true };

	for (int i = 0; i < TRIES; i++)
		run_call(&call, &listener);
	return f;
}

static double figure(const char *program, const char *name, enum system system)
{
	return figures_of(program, name, system, "-", NULL).values[0];
}

static bool measure(struct costs *c)
{
	static const enum system systems[COSTS] = { [ON_GLIBC] = GLIBC, [ON_UPCALL] = UPCALL };
	bool is_good = true;

	for (int i = 0; i < COSTS; i++) {
		struct figures blocks = figures_of("upcalls", "cost", systems[i], "block", "alone");

		c->turn[i] = figure("micro", "condition", systems[i]) / 2;
		c->pass[i] = figure("micro", "pipe", systems[i]) / 2;
		c->start[i] = figure("micro", "create-join", systems[i]);
		c->block[i] = blocks.values[0];
		if (i == ON_GLIBC)
			c->block_alone = blocks.values[1];
		is_good = is_good && isfinite(c->turn[i] + c->pass[i] + c->start[i] + c->block[i] + c->block_alone);
	}
	return is_good;
}

bool costs_measure(struct costs *ret)
{
	struct costs c;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid_t pid = fork();

	if (pid == 0) {
		run_init();
		bool is_good = measure(&c);

		run_fini();
		_exit(is_good && write(ends[1], &c, sizeof(c)) == sizeof(c) ? 0 : 1);
	}
	close(ends[1]);
	bool is_good = pid > 0 && read(ends[0], &c, sizeof(c)) == sizeof(c);

	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (is_good)
		*ret = c;
	return is_good;
}

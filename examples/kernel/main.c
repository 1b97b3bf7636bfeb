// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: small-threads [auto|sched_ext|bpf|perf]
 *
 * Threads of the small package block in the kernel in several ways, and it is checked that others run
 * meanwhile, that they go on afterwards, and that never more of them run than there are vprocs.
 */
#include "small.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { SLEEPS = 40, MIXED = 8, STEPS = 60 };

static atomic_bool is_over;
static atomic_ulong steps, wrong, done;	/* done: of those that block */
static int pipe_fds[2], ring_fds[MIXED][2];

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	wrong++;
}

static void check_running(void)
{
	check(small_running <= (int)small_vprocs, "more threads run than there are vprocs");
}

/* Never blocks, and never stops before the others have. */
static void stepper(void *arg)
{
	(void)arg;
	while (!is_over) {
		steps++;
		check_running();
		small_yield();
	}
}

/* Each sleep is a block that nothing announces: the stepper must run meanwhile. */
static void sleeper(void *arg)
{
	(void)arg;
	for (int i = 0; i < SLEEPS; i++) {
		unsigned long before = steps;
		int n = 0;

		do
			usleep(5000);
		while (steps == before && ++n < 400);
		check(steps != before, "nothing ran while a thread slept");
		small_yield();
	}
	done++;
}

/* Blocks until the other has written, which it could not if the vproc were lost. */
static void reader(void *arg)
{
	char c = 0;

	(void)arg;
	for (int i = 0; i < SLEEPS; i++) {
		check(read(pipe_fds[0], &c, 1) == 1 && c == (char)i, "what was written is read");
		small_yield();
	}
	done++;
}

static void writer(void *arg)
{
	(void)arg;
	for (int i = 0; i < SLEEPS; i++) {
		for (int n = 0; n < 10; n++)
			small_yield();
		char c = (char)i;

		check(write(pipe_fds[1], &c, 1) == 1, "write");
	}
	while (done < 2 + MIXED)
		small_yield();
	is_over = true;
}

/* A token goes round: each thread reads it from its own pipe and writes it to the next one's. */
static void mixer(void *arg)
{
	long number = (long)arg;
	unsigned token;

	for (int i = 0; i < STEPS; i++) {
		check(read(ring_fds[number][0], &token, sizeof(token)) == sizeof(token), "read");
		check_running();
		if (token % 7 == 0)
			usleep(token % 3 * 1000);
		token++;
		check(write(ring_fds[(number + 1) % MIXED][1], &token, sizeof(token)) == sizeof(token), "write");
		small_yield();
	}
	done++;
}

int main(int argc, char **argv)
{
	unsigned first = 1, last = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(100);
	const char *wanted = argc > 1 ? argv[1] : "auto", *source = small_start(SMALL_VPROCS, wanted);

	if (!source) {
		printf("skip: source %s is not to be had here\n", wanted);
		return 77;
	}
	printf("source: %s\n", source);
	if (pipe(pipe_fds))
		return 1;
	small_spawn(stepper, NULL);
	small_spawn(sleeper, NULL);
	small_spawn(reader, NULL);
	small_spawn(writer, NULL);
	for (long i = 0; i < MIXED; i++) {
		if (pipe(ring_fds[i]))
			return 1;
		small_spawn(mixer, (void *)i);
	}
	check(write(ring_fds[0][1], &first, sizeof(first)) == sizeof(first), "write");
	small_run();
	check(done == 2 + MIXED, "all threads have come to their ends");
	check(read(ring_fds[0][0], &last, sizeof(last)) == sizeof(last) && last == 1 + MIXED * STEPS,
	      "the token went round");
	check(small_blocks >= SLEEPS, "spares took over");
	check(source_overlaps() == 0, "two activations of a vproc ran at a time");
	printf("%u vprocs taken over %lu times, %lu steps\n", small_vprocs, (unsigned long)small_blocks, (unsigned long)steps);
	return wrong ? 1 : 0;
}

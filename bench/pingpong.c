// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ping-pong of Harman's "Multithreading in the Solaris Operating Environment" (2002), with the
 * options of its pp.  A case is one of its tests, or the options themselves ("-n 4 -i 1000").
 *
 * Each player has two mutexes, its blocks.  Before its n-th stroke it takes its own block n % 2, which
 * the opponent holds until it has made its stroke; then it takes the block that the opponent needs for
 * the stroke after the next, lets go of its own, and last of the one that it held of the opponent's.  So
 * two threads take strict turns by locks alone.  A stroke counts itself in a plain variable, and finds
 * out whether it was its turn.
 *
 * Of the paper's library the M:N implementation ("old libthread") stands beside M:N threads, the 1:1
 * one ("new libthread") beside glibc's.  A test without -i plays as long as it is told to, and its
 * time is scaled to the paper's number of strokes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "threads.h"

enum { STROKES = 1000000, TRIAL = 2000, LINE = 128, WORDS_MAX = 32 };

struct table {
	struct {
		mutex blocks[2];
		thread thread;
	} __attribute__((aligned(LINE))) players[2];
	uint64_t strokes;
};

static struct {
	unsigned strokes, games, concurrency;
	long pause_ms;		/* after each stroke; -1: everybody takes one lock instead */
	size_t stack_bytes;
	bool is_verbose, is_shared, is_bound, has_strokes;
} option = { .strokes = STROKES, .games = 1 };

static struct table *tables;
static mutex bottleneck;
static barrier all_there, begin, end;

static void take_hint(void)
{
#ifndef NATIVE
	if (option.concurrency)
		must("pthread_setconcurrency", pthread_setconcurrency((int)option.concurrency));
#endif
}

static void pause_after_stroke(void)
{
	if (option.pause_ms < 0) {
		mutex_lock(&bottleneck);
		mutex_unlock(&bottleneck);
	} else if (option.pause_ms) {
		thread_sleep((uint64_t)option.pause_ms * 1000000u);
	}
}

static void stroke(struct table *t, unsigned me, unsigned n)
{
	mutex *ours = t->players[me].blocks, *theirs = t->players[!me].blocks;

	mutex_lock(&ours[n % 2]);
	if (t->strokes++ != 2 * (uint64_t)n + !me)
		die("a player made a stroke that was its opponent's");
	mutex_lock(&theirs[(n + me) % 2]);
	mutex_unlock(&ours[n % 2]);
	mutex_unlock(&theirs[(n + me + 1) % 2]);
	pause_after_stroke();
}

static void play(struct table *t, unsigned me)
{
	for (unsigned n = 0; n < option.strokes; n++)
		stroke(t, me, n);
	barrier_wait(&end);
}

static void *serve(void *arg)
{
	struct table *t = arg;

	barrier_wait(&all_there);
	mutex_lock(&t->players[1].blocks[0]);
	mutex_lock(&t->players[1].blocks[1]);
	barrier_wait(&begin);
	mutex_unlock(&t->players[1].blocks[0]);
	play(t, 0);
	return NULL;
}

static void *receive(void *arg)
{
	struct table *t = arg;

	barrier_wait(&all_there);
	mutex_lock(&t->players[0].blocks[0]);
	barrier_wait(&begin);
	play(t, 1);
	return NULL;
}

static double cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

struct times {
	double start_ns, play_ns, cpu_ns;
};

static void start_players(void)
{
	for (struct table *t = tables; t < tables + option.games; t++) {
		t->strokes = 0;
		for (int i = 0; i < 2; i++) {
			mutex_init(&t->players[i].blocks[0], option.is_shared);
			mutex_init(&t->players[i].blocks[1], option.is_shared);
			t->players[i].thread = thread_start(i ? receive : serve, t, option.is_bound ? START_BOUND : 0,
							    option.stack_bytes);
		}
	}
}

static void join_players(void)
{
	for (struct table *t = tables; t < tables + option.games; t++) {
		thread_join(t->players[0].thread);
		thread_join(t->players[1].thread);
		if (t->strokes != 2 * (uint64_t)option.strokes)
			die("%llu strokes, not 2 * %u", (unsigned long long)t->strokes, option.strokes);
	}
}

static struct times tournament(void)
{
	unsigned all = 2 * option.games + 1;
	double cpu = cpu_ns();
	uint64_t t_start = now_ns();

	barrier_init(&all_there, all);
	barrier_init(&begin, all);
	barrier_init(&end, all);
	start_players();
	barrier_wait(&all_there);
	uint64_t t_begin = now_ns();

	barrier_wait(&begin);
	barrier_wait(&end);
	struct times r = { (double)(t_begin - t_start), (double)(now_ns() - t_begin), cpu_ns() - cpu };

	join_players();
	return r;
}

/* As many strokes as fit into the time, and at most the paper's. */
static void choose_strokes(uint64_t length_ns)
{
	option.strokes = TRIAL;
	double fit = TRIAL * (double)length_ns / tournament().play_ns;

	option.strokes = fit > STROKES ? STROKES : fit < TRIAL ? TRIAL : (unsigned)fit;
}

static void refuse(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(2);
}

static long number(const char *text, long least)
{
	char *tail;
	long n = strtol(text, &tail, 10);

	if (tail == text || *tail || n < least || n > 1000000000)
		refuse("a number is not one, or out of its range");
	return n;
}

static bool is_second(const char *text, const char *first, const char *second)
{
	if (strcmp(text, first) && strcmp(text, second))
		refuse("-p takes private or shared, -s process or system");
	return !strcmp(text, second);
}

static void read_options(const char *words)
{
	char copy[256], *argv[WORDS_MAX] = { program_invocation_short_name }, *rest = copy;
	int argc = 1, c;

	snprintf(copy, sizeof(copy), "%s", words);
	while (rest && argc < WORDS_MAX - 1)
		if (*(argv[argc] = strsep(&rest, " ")))
			argc++;
	argv[argc] = NULL;
	while ((c = getopt(argc, argv, "vi:n:z:p:s:c:S:")) != -1) {
		switch (c) {
		case 'v': option.is_verbose = true; break;
		case 'i': option.strokes = (unsigned)number(optarg, 1); option.has_strokes = true; break;
		case 'n': option.games = (unsigned)number(optarg, 1); break;
		case 'z': option.pause_ms = number(optarg, -1); break;
		case 'p': option.is_shared = is_second(optarg, "private", "shared"); break;
		case 's': option.is_bound = is_second(optarg, "process", "system"); break;
		case 'c': option.concurrency = (unsigned)number(optarg, 0); break;
		case 'S': option.stack_bytes = (size_t)number(optarg, 0); break;
		default: exit(2);
		}
	}
	if (optind != argc)
		refuse("options only");
}

/* The paper's figures: `is_new` where it was the 1:1 library. */
static const struct test {
	const char *name, *options;
	bool is_new;
	double start_ms, play_ms, cpu_ms;	/* start_ms: 0 where it says nothing */
} tests[] = {
	{ "baseline", "", true, 0, 6798, 12909 },
	{ "test-1", "", false, 0, 13881, 13901 },
	{ "test-2", "-c 2", false, 0, 90922, 120296 },
	{ "test-3", "", true, 0, 43779, 40076 },
	{ "test-4", "-s system", false, 0, 59231, 56232 },
	{ "test-5", "-n 4", true, 0, 6901, 51431 },
	{ "test-6", "-n 4 -c 8", false, 0, 350930, 1390908 },
	{ "test-7", "-n 4 -c 8 -p shared", false, 0, 75792, 369594 },
	{ "test-8", "-n 5000 -i 100 -S 32768", true, 15677, 12308, 111529 },
	{ "test-9", "-n 5000 -i 100 -S 32768", false, 1973, 43140, 45129 },
	{ "test-10", "-n 5000 -i 100 -S 32768 -c 8 -p shared", false, 25180, 10080, 100371 },
};

static const struct test *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}

static void put_paper(const struct test *test, const char *system)
{
	const char *whose = test->is_new ? "new libthread, 1:1" : "old libthread, M:N";

	if (test->is_new != !strcmp(system, "glibc"))
		return;
	if (test->start_ms)
		paper("start", test->start_ms, "ms", whose);
	paper("play", test->play_ms, "ms", whose);
	paper("cpu", test->cpu_ms, "ms", whose);
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	const struct test *test = find_test(args.name);

	if (!test && args.name[0] != '-')
		die("no case '%s'", args.name);
	read_options(test ? test->options : args.name);
	take_hint();
	if (option.is_shared && !THREADS_SHARE) {
		note("the native API has no locks between processes");
		return EXIT_SKIP;
	}
	if (!(tables = aligned_alloc(LINE, option.games * sizeof(*tables))))
		die("out of memory");
	mutex_init(&bottleneck, option.is_shared);
	bool is_scaled = test && !option.has_strokes;

	if (is_scaled)
		choose_strokes(args.length_ns);
	struct times r = tournament();
	double scale = is_scaled ? (double)STROKES / option.strokes / 1e6 : 1e-6;

	if (option.is_verbose)
		note("%u threads initialised in %.3g ms, %u games of %u strokes completed in %.4g ms",
		     2 * option.games, r.start_ns / 1e6, option.games, option.strokes, r.play_ns / 1e6);
	if (!is_scaled)
		put("start", r.start_ns * 1e-6, "ms");
	put("play", r.play_ns * scale, "ms");
	put("cpu", r.cpu_ns * scale, "ms");
	if (test)
		put_paper(test, args.system);
	if (test && strcmp(args.system, "glibc"))
		bound_of("play", 1, "ms", "glibc");
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall bench`: the same programs on glibc's threads and on Upcall's, in turn, and the ratios.
 * What is measured is said by the programs themselves (bench/); here is which cases there are, on
 * which systems and processors, for how long.
 */
#include "cli.h"
#include "output.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../src/base/option.h"
#include "bench/bench.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ON(system) (1u << (system))
#define GAME "pingpong"	/* the benchmark that has options of its own */

enum {
	RUNS = 5, QUICK_RUNS = 3, RUNS_MAX = 1000,
	QUICK_S = 25,		/* for a benchmark with --quick, with some seconds to spare for the last runs */
	/* Of a case: measured on one processor, or on all; with neither, the script decides. */
	ONE_CPU = 1, ALL_CPUS = 2, TWO_CPUS = 128, EIGHT_CPUS = 256,	/* the last two: at most */
	NOT_QUICK = 4,		/* left out of --quick */
	HAS_POOL = 8,		/* the program has a thread pool of its own, to be beaten */
	NO_FLOOR = 16,		/* there is no hand-off in it */
	WITH_PROCESSES = 64,	/* also with processes in the place of threads */
	ONLY_PEERS = 32,	/* too much for kernel threads, and for a pthread's memory */
	WITH_SCHED_EXT = 512,	/* also as vprocs of upcalld's scheduler */
	CASES_MAX = 16,
};

struct bench_case {
	const char *name;
	unsigned flags;
};

static const struct benchmark {
	const char *name, *program, *summary;
	double seconds, quick_seconds;
	unsigned limit_s;	/* for one run, besides the time of the measurement */
	unsigned quick_s;	/* for all of it, with --quick; 0: QUICK_S */
	unsigned systems;
	bool is_script, is_asked_for;	/* is_asked_for: not run unless it is named */
	bool has_peers;
	bool is_told;		/* peers are told its name before the case's, which others have, too */
	const char *peer;	/* measured always, where it is there */
	bool stays_unbound;	/* see struct call */
	size_t memory_bytes;	/* the same */
	bool has_scope;		/* has bound threads, too */
	struct bench_case cases[CASES_MAX];
} benchmarks[] = {
	{ .name = "micro", .program = "micro", .summary = "what one operation on threads costs",
	  .seconds = 0.5, .quick_seconds = 0.1, .limit_s = 30,
	  .systems = ON(GLIBC) | ON(UPCALL), .has_peers = true,
	  .cases = {
		{ "create-join", ONE_CPU | ALL_CPUS },
		{ "batch", ONE_CPU | ALL_CPUS },
		{ "yield", ONE_CPU },
		{ "semaphore", ONE_CPU | ALL_CPUS },
		{ "condition", ONE_CPU | ALL_CPUS },
		{ "pipe", ONE_CPU | ALL_CPUS },
		{ "ping-pong-1", ONE_CPU },
		{ "ping-pong-4", ALL_CPUS },
		{ "lock", ONE_CPU },
		{ "contended", ONE_CPU | ALL_CPUS },
		{ "spawn-tree-20", ONE_CPU | ALL_CPUS | ONLY_PEERS },
		{ "spawn-tree", ONE_CPU | ALL_CPUS | ONLY_PEERS | NOT_QUICK },
	  } },
	{ .name = "upcalls", .program = "upcalls",
	  .summary = "from a block in the kernel to the next thread's first instruction",
	  .seconds = 1, .quick_seconds = 0.3, .limit_s = 60,
	  .systems = ON(HAND_OFF) | ON(GLIBC) | ON(UPCALL_MONITOR) | ON(UPCALL_PERF) | ON(UPCALL_BPF) |
		     ON(UPCALL_SCHED_EXT),
	  .stays_unbound = true,
	  .cases = {
		{ "nanosleep", ONE_CPU }, { "futex", ONE_CPU }, { "fifo", ONE_CPU },
		{ "page-fault", ONE_CPU }, { "futex-hog", ONE_CPU },
		{ "cost", ONE_CPU | NO_FLOOR }, { "switch-own", ONE_CPU | NO_FLOOR }, { "switch-other", ONE_CPU | NO_FLOOR },
		{ "compute", ONE_CPU | NO_FLOOR },
	  } },
	{ .name = "pagefault", .program = "pagefault",
	  .summary = "a mapped file larger than memory: pages read and units computed",
	  .seconds = 2, .quick_seconds = 0.5, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL_PERF) | ON(UPCALL_BPF), .has_peers = true, .peer = "go", .memory_bytes = 48 << 20,
	  .cases = { { "beside", ALL_CPUS }, { "mixed", ALL_CPUS } } },
	{ .name = "activations", .program = "activations",
	  .summary = "what Anderson et al. measured of scheduler activations in 1991",
	  .seconds = 1, .quick_seconds = 0.2, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL_NONE) | ON(UPCALL),
	  .cases = {
		{ "null-fork", ONE_CPU | WITH_PROCESSES }, { "signal-wait", ONE_CPU | WITH_PROCESSES },
		{ "upcall", ONE_CPU },
		{ "nbody-100", ONE_CPU | ALL_CPUS }, { "nbody-80", ALL_CPUS }, { "nbody-60", ALL_CPUS },
		{ "nbody-50", ALL_CPUS }, { "nbody-40", ALL_CPUS }, { "nbody-two", ALL_CPUS },
	  } },
	{ .name = "scale", .program = "scale",
	  .summary = "many threads that wait for one condition",
	  .seconds = 1, .quick_seconds = 1, .limit_s = 120,
	  .systems = ON(GLIBC) | ON(UPCALL) | ON(NATIVE), .has_peers = true,
	  .cases = {
		{ "10", ONE_CPU }, { "100", ONE_CPU }, { "1000", ONE_CPU }, { "10000", ONE_CPU },
		{ "100000", ONE_CPU | NOT_QUICK }, { "1000000", ONE_CPU | NOT_QUICK },
	  } },
	{ .name = "latency", .program = "latency",
	  .summary = "how long waiting and new threads are kept waiting beside threads that compute",
	  .seconds = 2, .quick_seconds = 0.5, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL),
	  .cases = {
		{ "sleep", ONE_CPU | ALL_CPUS }, { "echo", ONE_CPU | ALL_CPUS }, { "client", ONE_CPU | ALL_CPUS },
		{ "yield", ONE_CPU | ALL_CPUS }, { "spawn", ONE_CPU }, { "spin", ONE_CPU | ALL_CPUS },
	  } },
	{ .name = "openmp", .program = "openmp",
	  .summary = "OpenMP: barriers, loops and critical sections, also with four threads for each processor",
	  .seconds = 1, .quick_seconds = 0.2, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL),
	  .cases = {
		{ "barrier", ALL_CPUS }, { "barrier-4x", ALL_CPUS }, { "loop", ALL_CPUS }, { "loop-4x", ALL_CPUS },
		{ "critical", ALL_CPUS }, { "critical-4x", ALL_CPUS },
	  } },
	{ .name = "echo", .program = "echo.sh",
	  .summary = "a thread for each TCP connection, the server on one processor",
	  .seconds = 5, .quick_seconds = 1, .limit_s = 60, .is_script = true,
	  .systems = ON(GLIBC) | ON(EPOLL) | ON(UPCALL) | ON(NATIVE), .has_peers = true,
	  .cases = { { "100", 0 }, { "5000", 0 } } },
	{ .name = GAME, .program = "pingpong", .is_asked_for = true,
	  .summary = "Harman 2002: games of two players who block each other by four mutexes; ms for 1,000,000 strokes",
	  .seconds = 0.5, .quick_seconds = 0.05, .limit_s = 120,
	  .systems = ON(GLIBC) | ON(UPCALL) | ON(NATIVE), .has_peers = true, .has_scope = true,
	  .cases = {
		{ "baseline", ALL_CPUS }, { "test-1", TWO_CPUS }, { "test-2", TWO_CPUS },
		{ "test-3", ONE_CPU }, { "test-4", ONE_CPU }, { "test-5", EIGHT_CPUS },
		{ "test-6", EIGHT_CPUS }, { "test-7", EIGHT_CPUS }, { "test-8", ALL_CPUS | NOT_QUICK },
		{ "test-9", ALL_CPUS | NOT_QUICK }, { "test-10", ALL_CPUS | NOT_QUICK },
	  } },
	{ .name = "myth", .program = "myth", .is_asked_for = true,
	  .summary = "Small and Seltzer 1995, tables 1 to 5, and what a start costs",
	  .seconds = 0.2, .quick_seconds = 0.02, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL) | ON(NATIVE), .has_peers = true, .is_told = true,
	  .cases = {
		{ "table-1", ONE_CPU }, { "table-2", ONE_CPU }, { "table-3", ONE_CPU },
		{ "table-4", ONE_CPU }, { "table-5", ONE_CPU }, { "start", ONE_CPU },
	  } },
	{ .name = "dgux", .program = "dgux", .is_asked_for = true, .summary = "Alfieri 1994, tables 2 to 6",
	  .seconds = 0.2, .quick_seconds = 0.02, .limit_s = 60,
	  .systems = ON(GLIBC) | ON(UPCALL) | ON(NATIVE), .has_peers = true, .is_told = true, .has_scope = true,
	  .cases = {
		{ "table-2", ONE_CPU }, { "table-3", ONE_CPU }, { "table-4", ONE_CPU },
		{ "table-5", ONE_CPU }, { "table-6", ONE_CPU },
	  } },
	{ .name = "psyche", .program = "psyche", .is_asked_for = true,
	  .summary = "Marsh et al. 1991: barriers at every step, and phases beside competitors",
	  .seconds = 0.5, .quick_seconds = 0.05, .limit_s = 300,
	  .systems = ON(GLIBC) | ON(UPCALL) | ON(NATIVE), .has_peers = true, .is_told = true,
	  .cases = {
		{ "gauss", ALL_CPUS }, { "sort", ALL_CPUS }, { "gauss-1", ALL_CPUS }, { "gauss-2", ALL_CPUS },
		{ "gauss-4", ALL_CPUS }, { "gauss-8", ALL_CPUS }, { "phases", ALL_CPUS | WITH_SCHED_EXT },
	  } },
	{ .name = "advise", .program = "advise.sh", .is_asked_for = true,
	  .summary = "what upcall advise says of a program, and what is measured then; shares of its time, one processor",
	  .seconds = 3, .quick_seconds = 1, .limit_s = 60, .is_script = true,
	  .systems = ON(UPCALL),
	  .cases = {
		{ "workers", 0 }, { "forks", 0 }, { "talk", 0 }, { "churn", 0 }, { "direct", 0 }, { "compute", 0 },
	  } },
	{ .name = "apps", .program = "apps.sh", .summary = "real programs, unmodified, under load",
	  .seconds = 10, .quick_seconds = 2, .limit_s = 180, .quick_s = 780,
	  .is_script = true, .is_asked_for = true, .systems = ON(GLIBC) | ON(UPCALL),
	  .cases = {
		{ "pigz", 0 }, { "x264", 0 }, { "redis", 0 }, { "redis-io-threads", 0 },
		{ "memcached", 0 }, { "nginx", 0 }, { "apache-worker", 0 }, { "apache-event", 0 },
		{ "varnish", 0 }, { "java", 0 }, { "mariadb-16", HAS_POOL }, { "mariadb-1000", HAS_POOL },
		{ "mariadb-2000", HAS_POOL | NOT_QUICK },
	  } },
};

static struct {
	bool is_quick, is_json, is_unpinned;
	unsigned runs;
	const char *peers, *chart;
	char game[CASE_MAX_BYTES];		/* options of pingpong: the one case that is measured */
	int nwords;
	char **words;		/* names of benchmarks, or BENCHMARK/CASE */
} option;

static struct {
	unsigned done, all, failures;
	bool is_counting;	/* only looks how many runs there will be */
} progress;

/* With --quick, the cases that are left share the time that is left of their benchmark. */
static struct {
	double end_s;		/* of the benchmark of the moment */
	unsigned places[COUNT(benchmarks)];	/* where a case is still to be measured: on one processor, on all */
} quick;

static double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the listener is to do with the figures of the call of the moment. */
struct context {
	const struct benchmark *b;
	char name[CASE_MAX_BYTES];
	enum system system;
	unsigned run;
};

static struct series *series_of(const struct context *c, const char *metric, const char *unit)
{
	return report_series(c->b->name, c->name, metric, c->system, unit, option.runs);
}

static void take_figure(void *arg, const char *metric, double value, const char *unit)
{
	const struct context *c = arg;

	report_add(series_of(c, metric, unit), c->run, value);
}

static void take_paper(void *arg, const char *metric, double value, const char *unit, const char *whose)
{
	report_paper(series_of(arg, metric, unit), value, whose);
}

static void take_bound(void *arg, const char *metric, const char *unit, const struct bar *bar)
{
	report_bound(series_of(arg, metric, unit), bar);
}

static void take_note(void *arg, const char *text)
{
	const struct context *c = arg;

	report_note(c->b->name, c->name, system_names[c->system], text);
}

/* The line of progress, on a terminal; without text, none. */
static void show(const struct context *c)
{
	if (!isatty(2))
		return;
	fputs("\r\033[K", stderr);
	if (c)
		fprintf(stderr, "[%u/%u] %s: %s on %s, run %u", progress.done + 1, progress.all,
			c->b->name, c->name, system_names[c->system], c->run + 1);
	fflush(stderr);
}

static enum outcome run_once(const struct context *c, const char *name, int ncpus)
{
	struct listener listener = { take_figure, take_paper, take_bound, take_note, (void *)c };
	double seconds = option.is_quick ? c->b->quick_seconds : c->b->seconds;
	/* A game by options lasts as long as they make it. */
	unsigned limit_s = option.game[0] ? 0 : c->b->limit_s + (unsigned)(10 * seconds);
	struct call call = {
		.program = c->b->program, .name = name, .system = c->system, .ncpus = ncpus,
		.is_script = c->b->is_script, .has_scope = c->b->has_scope, .seconds = seconds,
		.limit_s = limit_s, .memory_bytes = c->b->memory_bytes,
		.stays_unbound = c->b->stays_unbound, .is_told = c->b->is_told,
	};

	show(c);
	enum outcome outcome = run_call(&call, &listener);

	progress.done++;
	if (outcome == FAILED)
		progress.failures++;
	return outcome;
}

static void note_cut(const struct benchmark *b, const struct bench_case *c, const char *where,
		     unsigned runs, const char *why)
{
	char name[NAME_MAX_BYTES], text[NOTE_MAX_BYTES];

	snprintf(name, sizeof(name), "%s%s", c->name, where);
	snprintf(text, sizeof(text), "%u of %u runs, then %s", runs, option.runs, why);
	report_note(b->name, name, NULL, text);
}

/* All runs of a case at one place; a system that failed or was skipped is not tried again. */
static bool measure(const struct benchmark *b, const struct bench_case *c, const char *where,
		    int ncpus)
{
	unsigned systems = b->systems | (c->flags & HAS_POOL ? ON(POOL) : 0);

	if (c->flags & NO_FLOOR)
		systems &= ~ON(HAND_OFF);
	if (c->flags & ONLY_PEERS)
		systems = 0;
	if (c->flags & ONLY_PEERS && !peers_mask() && !progress.is_counting)
		report_note(b->name, c->name, NULL, "only peers are measured, which --peers names");
	if (c->flags & WITH_PROCESSES)
		systems |= ON(PROCESS);
	if (c->flags & WITH_SCHED_EXT)
		systems |= ON(UPCALL_SCX);
	if (b->has_peers)
		systems |= peers_mask();
	if (b->peer)
		systems |= peers_add(b->peer);
	unsigned *places = &quick.places[b - benchmarks];

	if (progress.is_counting)
		(*places)++;
	double begin = clock_s(), share = (quick.end_s - begin) / *places;

	for (unsigned run = 0; run < option.runs; run++) {
		/* The first run is always made, another one if it is over in time when it takes as long as those before. */
		if (option.is_quick && !progress.is_counting && run &&
		    (clock_s() - begin) * (run + 1) / run > share) {
			note_cut(b, c, where, run, "the time of --quick was up");
			progress.all -= (option.runs - run) * (unsigned)__builtin_popcount(systems);
			break;
		}
		for (int system = 0; system < SYSTEMS; system++) {
			struct context context = { b, "", (enum system)system, run };

			if (!(systems & ON(system)))
				continue;
			if (progress.is_counting) {
				progress.all++;
				continue;
			}
			snprintf(context.name, sizeof(context.name), "%s%s", c->name, where);
			enum outcome outcome = run_once(&context, c->name, ncpus);

			if (outcome == INTERRUPTED) {
				note_cut(b, c, where, run, "a signal came");
				return false;
			}
			if (outcome != MEASURED)
				systems &= ~ON(system);
		}
	}
	*places -= !progress.is_counting;
	return true;
}

/* Whether the word is BENCHMARK/CASE. */
static bool is_case(const struct benchmark *b, const struct bench_case *c, const char *word)
{
	size_t len = strlen(b->name);

	return !strncmp(word, b->name, len) && word[len] == '/' && !strcmp(word + len + 1, c->name);
}

static bool is_wanted(const struct benchmark *b, const struct bench_case *c)
{
	bool fits = !(option.is_quick && c->flags & NOT_QUICK);

	if (option.game[0])
		return false;
	for (int i = 0; i < option.nwords; i++) {
		const char *word = option.words[i];

		if (!strcmp(word, b->name))
			return fits;
		if (is_case(b, c, word))
			return true;
	}
	return option.nwords == 0 && !b->is_asked_for && fits;
}

static bool has_one_cpu(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1;
}

static bool measure_case(const struct benchmark *b, const struct bench_case *c)
{
	bool has_both = (c->flags & (ONE_CPU | ALL_CPUS)) == (ONE_CPU | ALL_CPUS);

	if (option.is_unpinned)
		return measure(b, c, "", 0);
	if (c->flags & (TWO_CPUS | EIGHT_CPUS))
		return measure(b, c, "", c->flags & TWO_CPUS ? 2 : 8);
	if (c->flags & ONE_CPU && !measure(b, c, "", 1))
		return false;
	if (has_both && has_one_cpu())
		return true;
	return c->flags & ONE_CPU && !(c->flags & ALL_CPUS) ? true
	       : measure(b, c, has_both ? " all-cpus" : "", 0);
}

/* False when a signal ended it. */
static bool measure_cases(const struct benchmark *b, bool *ret_is_any)
{
	const struct bench_case game = { option.game, ALL_CPUS };

	*ret_is_any = option.game[0] && !strcmp(b->name, GAME);
	if (*ret_is_any && !measure_case(b, &game))
		return false;
	for (const struct bench_case *c = b->cases; c < b->cases + CASES_MAX && c->name; c++) {
		if (!is_wanted(b, c))
			continue;
		*ret_is_any = true;
		if (!measure_case(b, c))
			return false;
	}
	return true;
}

static bool measure_benchmark(const struct benchmark *b)
{
	quick.end_s = clock_s() + (b->quick_s ? b->quick_s : QUICK_S);
	bool is_any, is_complete = measure_cases(b, &is_any);

	if (is_any && !progress.is_counting) {
		show(NULL);
		report_unfair(b->name);
		if (!option.is_json)
			report_table(b->name, b->summary);
		fflush(stdout);
	}
	return is_complete;
}

static bool measure_all(void)
{
	for (size_t i = 0; i < COUNT(benchmarks); i++)
		if (!measure_benchmark(&benchmarks[i]))
			return false;
	return true;
}

static bool is_measured(const struct benchmark *b)
{
	for (const struct bench_case *c = b->cases; c < b->cases + CASES_MAX && c->name; c++)
		if (is_wanted(b, c))
			return true;
	return false;
}

static void add_name(char *names, size_t size, const char *name)
{
	size_t at = strlen(names);

	snprintf(names + at, size - at, "%s%s", at ? ", " : "", name);
}

/* Which benchmarks know nothing of the peers that were asked for. */
static void tell_peerless(void)
{
	char without[256] = "", with[256] = "";

	for (const struct benchmark *b = benchmarks; b < benchmarks + COUNT(benchmarks); b++) {
		if (b->has_peers)
			add_name(with, sizeof(with), b->name);
		else if (is_measured(b))
			add_name(without, sizeof(without), b->name);
	}
	if (*without)
		say("--peers: no peers are measured in %s; they are in %s", without, with);
}

static bool is_known(const char *word)
{
	for (size_t i = 0; i < COUNT(benchmarks); i++) {
		const struct benchmark *b = &benchmarks[i];
		if (!strcmp(word, b->name))
			return true;
		for (size_t j = 0; j < CASES_MAX && b->cases[j].name; j++)
			if (is_case(b, &b->cases[j], word))
				return true;
	}
	return false;
}

static void list(void)
{
	for (size_t i = 0; i < COUNT(benchmarks); i++) {
		const struct benchmark *b = &benchmarks[i];

		printf("%s: %s%s\n", b->name, b->summary,
		       b->is_asked_for ? " (only when named)" : "");
		for (size_t j = 0; j < CASES_MAX && b->cases[j].name; j++)
			printf("  %s/%s\n", b->name, b->cases[j].name);
	}
}

static void help(void)
{
	puts("usage: upcall bench [OPTIONS] [NAME...]\n"
	     "\n"
	     "Measures the same programs on glibc's threads and on Upcall's, in turn.  A\n"
	     "ratio is the figure divided by that of the system named; for times, less is\n"
	     "better.  NAME is a benchmark or one case of it (micro, micro/yield).  Without\n"
	     "a name, all are run but those of papers (pingpong, myth, dgux, psyche), of real\n"
	     "programs (apps), and advise.\n"
	     "\n"
	     "  --quick     shorter runs, and as many as half a minute has room for, at least one;\n"
	     "              the largest cases are left out, and apps take minutes all the same\n"
	     "  --runs=N    runs of each case on each system (default: 5, 3 with --quick)\n"
	     "  --peers=LIST  measure these thread systems too: names in the folder peers of\n"
	     "              the benchmarks, paths of programs, or all\n"
	     "  --no-pin    let every case use all processors\n"
	     "  --json      print JSON, a row for each case and system\n"
	     "  --svg=FILE  also draw the medians\n"
	     "  --list      say which benchmarks and cases there are\n"
	     "  --help      this text\n"
	     "\n"
	     "  upcall bench pingpong -n 4 -i 100000 ...   one game, with the options of the paper's pp:\n"
	     "  -v (say how long it took) -i strokes -n games -z ms (pause after a stroke;\n"
	     "  -1: a lock that all share) -p private|shared -s process|system\n"
	     "  -c concurrency -S stack bytes");
}

static unsigned read_runs(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > RUNS_MAX)
		die(EXIT_USAGE, "--runs wants a number from 1 to %d, not '%s'", RUNS_MAX, text);
	return (unsigned)n;
}

static bool is_game_value(int letter, const char *value)
{
	char *end;

	if (letter == 'p')
		return !strcmp(value, "private") || !strcmp(value, "shared");
	if (letter == 's')
		return !strcmp(value, "process") || !strcmp(value, "system");
	long n = strtol(value, &end, 10);

	return end != value && !*end && n <= 1000000000 && n >= (letter == 'z' ? -1 : letter == 'i' || letter == 'n');
}

/* The program reads them again, word by word. */
static void add_game_option(int letter, const char *value)
{
	size_t at = strlen(option.game), room = sizeof(option.game) - at;

	if (value && !is_game_value(letter, value))
		die(EXIT_USAGE, "bad value '%s' of -%c; see upcall bench --help", value, letter);
	if ((size_t)snprintf(option.game + at, room, "%s-%c%s%s", at ? " " : "", letter,
			     value ? " " : "", value ? value : "") >= room)
		die(EXIT_USAGE, "too many options of " GAME);
}

/* Returns false when the options asked for nothing but a text. */
static bool read_options(int argc, char **argv)
{
	enum { QUICK = 256, TIMES, JSON, NO_PIN, PEER_LIST, SVG, LIST };
	static const char letters[] = ":hvi:n:z:p:s:c:S:";
	static const struct option options[] = {
		{ "quick", no_argument, NULL, QUICK }, { "runs", required_argument, NULL, TIMES },
		{ "json", no_argument, NULL, JSON }, { "no-pin", no_argument, NULL, NO_PIN },
		{ "peers", required_argument, NULL, PEER_LIST },
		{ "svg", required_argument, NULL, SVG }, { "list", no_argument, NULL, LIST },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case QUICK: option.is_quick = true; break;
		case TIMES: option.runs = read_runs(optarg); break;
		case JSON: option.is_json = true; break;
		case NO_PIN: option.is_unpinned = true; break;
		case PEER_LIST: option.peers = optarg; break;
		case SVG: option.chart = optarg; break;
		case LIST: list(); return false;
		case 'h': help(); return false;
		case 'v': case 'i': case 'n': case 'z': case 'p': case 's': case 'c': case 'S':
			add_game_option(c, optarg);
			break;
		default: die(EXIT_USAGE, "%s; see upcall bench --help", option_problem(c, argv, letters));
		}
	}
	option.words = argv + optind;
	option.nwords = argc - optind;
	for (int i = 0; i < option.nwords; i++)
		if (!is_known(option.words[i]))
			die(EXIT_USAGE, "no benchmark '%s'; see upcall bench --list",
			    option.words[i]);
	if (option.game[0] && (option.nwords != 1 || strcmp(option.words[0], GAME)))
		die(EXIT_USAGE, "%.2s is an option of " GAME " alone", option.game);
	if (option.peers)
		peers_find(option.peers);
	if (!option.runs)
		option.runs = option.is_quick ? QUICK_RUNS : RUNS;
	return true;
}

int bench_main(int argc, char **argv)
{
	if (!read_options(argc, argv))
		return 0;
	int err = option.chart ? output_try(option.chart) : 0;

	if (err)
		die(1, "%s: %s", option.chart, strerror(err));
	if (option.peers)
		tell_peerless();
	run_init();
	progress.is_counting = true;
	measure_all();
	progress.is_counting = false;
	machine_begin();
	measure_all();
	machine_end();
	run_fini();
	if (option.is_json)
		report_json();
	else
		machine_line();
	if (option.chart)
		chart_write(option.chart);
	fflush(stdout);
	if (run_interrupted()) {
		say("ended by signal %d", run_interrupted());
		return 128 + run_interrupted();
	}
	return progress.failures + report_reversed() ? 1 : 0;
}

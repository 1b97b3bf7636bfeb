// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall run`: look at the program, set the environment, exec.  Nothing of this command is left
 * in the process: PID, signals, exit status and descriptors are the program's own.  The options
 * travel as UPCALL_* variables, so that children are run the same way.
 */
#include "../src/base/option.h"
#include "../src/sys/admit.h"
#include "../src/sys/probe.h"
#include "../src/sys/setting.h"
#include "cli.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "program.h"

#define LIBRARY "libupcall-pthread.so"
#define NO_RSEQ "glibc.pthread.rseq=0"

static void help(void)
{
	puts("usage: upcall run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
	     "\n"
	     "Runs an unmodified, dynamically linked pthreads program on user-level threads.\n"
	     "\n"
	     "  --vprocs=N        run on N processors (default: those of the affinity mask, no\n"
	     "                    more than the CPU quota of the control group)\n"
	     "  --bound           give each thread a kernel thread of its own\n"
	     "  --scope           do so for threads that ask for PTHREAD_SCOPE_SYSTEM\n"
	     "  --slice=TIME|off  time slice of a thread that computes, as 10ms (the default)\n"
	     "  --policy=WHICH    which ready thread runs next: stealing, fifo, priority\n"
	     "  --source=WHICH    who reports blocked threads: auto, sched_ext, bpf, perf, monitor\n"
	     "  --io=WHICH        what waits for descriptors: auto, io_uring, epoll\n"
	     "  --stats[=FILE]    print counters when the program exits\n"
	     "  --no-children     programs that it starts run on kernel threads\n"
	     "  --help            this text\n"
	     "\n"
	     "The exit status is the program's; 125: an error of upcall itself, 126: not an\n"
	     "executable program, 127: no such program.");
}

static void put(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		die(EXIT_OURS, "cannot set %s: %s", name, strerror(errno));
}

/* `by` is where it was said: the option, or the variable. */
static void need_right(enum setting which, const char *by, const char *text)
{
	if (!setting_is_right(which, text))
		die(EXIT_OURS, "%s wants %s, not '%s'", by, setting_kinds[which].wants, text);
}

static void set(enum setting which, const char *text)
{
	need_right(which, setting_kinds[which].option, text);
	put(setting_kinds[which].variable, text);
}

static void check_environment(void)
{
	for (enum setting i = 0; i < SETTINGS; i++) {
		const char *variable = setting_kinds[i].variable, *text = getenv(variable);

		if (text && *text)
			need_right(i, variable, text);
	}
}

static void need_upcalld(const char *source)
{
	unsigned wanted = strcmp(source, "bpf") ? ABI_SCX : ABI_BPF;
	const char *instead = probe_perf() ? "the monitor serves" : "perf records serve";
	struct abi_welcome welcome;
	int fds[2], err = admit_ask((uint32_t)ABI_STATUS, 1000, &welcome, fds);

	if (err == -ENOENT || err == -ECONNREFUSED)
		say("--source=%s needs upcalld, which is not running; %s", source, instead);
	else if (err)
		say("--source=%s needs upcalld, which does not answer (%s); %s", source,
		    welcome.text[0] ? welcome.text : strerror(-err), instead);
	else if (!(welcome.sources & wanted))
		say("--source=%s is not what this upcalld offers (%s); the next best serves", source, welcome.text);
}

/* What was asked for by name and is not to be had here is said; what serves instead, too. */
static void set_source(const char *word)
{
	set(SETTING_SOURCE, word);
	if (strcmp(word, "bpf") == 0 || strcmp(word, "sched_ext") == 0)
		need_upcalld(word);
	if (strcmp(word, "perf") == 0 && probe_perf() != 0)
		say("--source=perf: the kernel refuses perf records; the monitor serves (see upcall features)");
}

static void set_io(const char *word)
{
	set(SETTING_IO, word);
	if (strcmp(word, "io_uring") == 0)
		say("--io=io_uring: this version has no io_uring engine; epoll serves");
}

/* Standard error if it names no file. */
static void set_stats(const char *file)
{
	bool is_file = file && *file && strcmp(file, "-") != 0;
	int err = is_file ? output_try(file) : 0;

	if (err)
		die(EXIT_OURS, "--stats=%s: %s", file, strerror(err));
	put("UPCALL_STATS", is_file ? file : "-");
}

/* Sets the environment from the options; returns the index of the program's name. */
static int read_options(int argc, char **argv)
{
	enum { VPROCS = 256, BOUND, SCOPE, SLICE, POLICY, SOURCE, IO, STATS, NO_CHILDREN, HELP };
	static const char letters[] = "+:h";
	static const struct option options[] = {
		{ "vprocs", required_argument, NULL, VPROCS },
		{ "bound", no_argument, NULL, BOUND },
		{ "scope", no_argument, NULL, SCOPE },
		{ "slice", required_argument, NULL, SLICE },
		{ "policy", required_argument, NULL, POLICY },
		{ "source", required_argument, NULL, SOURCE },
		{ "io", required_argument, NULL, IO },
		{ "stats", optional_argument, NULL, STATS },
		{ "no-children", no_argument, NULL, NO_CHILDREN },
		{ "help", no_argument, NULL, HELP },
		{ NULL, 0, NULL, 0 },
	};

	opterr = 0;
	for (;;) {
		int c = getopt_long(argc, argv, letters, options, NULL);

		switch (c) {
		case -1: return optind;
		case VPROCS: set(SETTING_VPROCS, optarg); break;
		case BOUND: put("UPCALL_BOUND", "1"); break;
		case SCOPE: put("UPCALL_SCOPE", "1"); break;
		case SLICE: set(SETTING_SLICE, optarg); break;
		case POLICY: set(SETTING_POLICY, optarg); break;
		case SOURCE: set_source(optarg); break;
		case IO: set_io(optarg); break;
		case STATS: set_stats(optarg); break;
		case NO_CHILDREN: put("UPCALL_CHILDREN", "0"); break;
		case 'h':
		case HELP: help(); return 0;
		default: die(EXIT_OURS, "%s; see upcall run --help", option_problem(c, argv, letters));
		}
	}
}

static bool is_readable(const char *path)
{
	return !access(path, R_OK);
}

/* The library beside this command: in the build tree, else where it was installed. */
static void find_library(char *path, size_t size)
{
	char self[3000];

	if (own_path(self, sizeof(self))) {
		*strrchr(self, '/') = 0;
		size_t len = strlen(self);

		if (len > 4 && !strcmp(self + len - 4, "/cli")) {
			snprintf(path, size, "%.*s/src/" LIBRARY, (int)(len - 4), self);
			if (is_readable(path))
				return;
		}
	}
	snprintf(path, size, "%s/" LIBRARY, UPCALL_LIBDIR);
	if (!is_readable(path))
		die(EXIT_OURS, "cannot find %s beside this command nor in %s", LIBRARY, UPCALL_LIBDIR);
}

/* Puts `item` before (or behind) what the variable holds, unless it is already there. */
static void add_to(const char *name, const char *item, const char *separators, bool first)
{
	const char *old = getenv(name);
	size_t len = strlen(item);

	if (!old || !*old) {
		put(name, item);
		return;
	}
	for (const char *at = old; *at; at += strspn(at, separators)) {
		size_t n = strcspn(at, separators);

		if (n == len && !memcmp(at, item, n))
			return;
		at += n;
	}
	char *value = malloc(strlen(old) + len + 2);

	if (!value)
		die(EXIT_OURS, "out of memory");
	sprintf(value, "%s%c%s", first ? item : old, separators[0], first ? old : item);
	put(name, value);
	free(value);
}

static void set_environment(void)
{
	char library[4096];

	find_library(library, sizeof(library));
	if (strpbrk(library, ": "))
		die(EXIT_OURS, "%s: a path with a colon or a space cannot be preloaded", library);
	add_to("LD_PRELOAD", library, ": ", true);
	add_to("GLIBC_TUNABLES", NO_RSEQ, ":", false);
	/* AddressSanitizer wants to come first, and does not need to. */
	add_to("ASAN_OPTIONS", "verify_asan_link_order=0", ":", false);
}

int run_main(int argc, char **argv)
{
	static struct program program;
	int first = read_options(argc, argv);

	if (!first)
		return 0;
	if (first == argc)
		die(EXIT_OURS, "no program given; see upcall run --help");
	check_environment();
	program_inspect(argv[first], &program);
	if (program.status)
		die(program.status, "%s", program.problem);
	if (probe_checks_races(argv + first) || probe_is_checked_for_races())
		snprintf(program.plainly, sizeof(program.plainly), "helgrind and drd watch the C library's own functions");
	if (program.plainly[0])
		say("%s runs on plain kernel threads: %s", argv[first], program.plainly);
	else
		set_environment();
	int err = program_exec(&program, argv + first, argc - first);

	die(program_exit_status(err), "cannot run %s: %s", argv[first], strerror(err));
}

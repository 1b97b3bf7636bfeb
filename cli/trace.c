// SPDX-License-Identifier: BSD-2-Clause
/* `upcall trace`: record what the threads of a program do, and draw it, save it, sum it up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/base/option.h"
#include "look/look.h"
#include "output.h"
#include "trace/model.h"
#include "trace/record.h"

#define DEFAULT_FILE "upcall-trace.json"
#define EVENTS_MAX 4000000

enum { EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };	/* what upcall-run(1) ends with then */

static struct {
	const char *save, *draw, *input;
	bool sums, as_json;
	pid_t pid;
	struct record_options record;
} wanted = { .record.events_max = EVENTS_MAX };

static void help(void)
{
	puts("usage: upcall trace [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
	     "       upcall trace [OPTIONS] -p PID\n"
	     "       upcall trace [OPTIONS] -i FILE\n"
	     "\n"
	     "Records what the threads of a program do, from its start or for a while, or reads\n"
	     "what was recorded earlier.\n"
	     "\n"
	     "  -o, --output=FILE  save it, for ui.perfetto.dev and for -i (the default, as\n"
	     "                     " DEFAULT_FILE ", if nothing else is asked for)\n"
	     "  --svg=FILE         draw vprocs and threads over time\n"
	     "  --summary          print latencies, time by state, the locks most waited for and\n"
	     "                     the longest calls\n"
	     "  --json             print these as JSON\n"
	     "  -p, --pid=PID      record a process that runs under upcall, until SIGINT\n"
	     "  -i, --input=FILE   read what -o saved\n"
	     "  --seconds=N        record for so long\n"
	     "  --events=N         record at most so many events (default: 4000000)\n"
	     "  --help             this text\n"
	     "\n"
	     "With a program the exit status is the program's.");
}

static double read_seconds(const char *text)
{
	char *end;
	double n = strtod(text, &end);

	if (*end || end == text || !(n > 0) || n > 1e6)
		die(LOOK_USAGE, "'%s' is no number of seconds; see upcall trace --help", text);
	return n;
}

static uint64_t read_count(const char *text)
{
	char *end;

	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);

	if (errno || *end || end == text || !n || *text == '-')
		die(LOOK_USAGE, "'%s' is no number of events; see upcall trace --help", text);
	return n;
}

static void read_options(int argc, char **argv)
{
	enum { SVG = 256, SUMMARY, JSON, SECONDS, EVENTS };
	static const char letters[] = "+:o:p:i:h";
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "svg", required_argument, NULL, SVG },
		{ "summary", no_argument, NULL, SUMMARY },
		{ "json", no_argument, NULL, JSON },
		{ "pid", required_argument, NULL, 'p' },
		{ "input", required_argument, NULL, 'i' },
		{ "seconds", required_argument, NULL, SECONDS },
		{ "events", required_argument, NULL, EVENTS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case 'o': wanted.save = optarg; break;
		case 'p': wanted.pid = read_pid(optarg, "trace"); break;
		case 'i': wanted.input = optarg; break;
		case SVG: wanted.draw = optarg; break;
		case SUMMARY: wanted.sums = true; break;
		case JSON: wanted.sums = wanted.as_json = true; break;
		case SECONDS: wanted.record.seconds = read_seconds(optarg); break;
		case EVENTS: wanted.record.events_max = read_count(optarg); break;
		case 'h': help(); exit(0);
		default: die(LOOK_USAGE, "%s; see upcall trace --help", option_problem(c, argv, letters));
		}
	}
	if ((optind < argc) + (wanted.pid != 0) + (wanted.input != NULL) != 1)
		die(LOOK_USAGE, "one of a program, -p and -i is wanted; see upcall trace --help");
	if (!wanted.save && !wanted.draw && !wanted.sums)
		wanted.save = DEFAULT_FILE;
}

/* Files that cannot be written are found out before the program has run for an hour. */
static void try_file(const char *path)
{
	int err = path ? output_try(path) : 0;

	if (err)
		die(1, "%s: %s", path, strerror(err));
}

static void produce(const struct trace *t)
{
	if (t->lost && !wanted.sums)
		say("%llu events are lost: they came faster than they could be read", (unsigned long long)t->lost);
	if (wanted.save)
		trace_write(t, wanted.save);
	if (wanted.draw)
		trace_draw(t, wanted.draw);
	if (wanted.sums)
		trace_summarise(t, wanted.as_json);
}

int trace_main(int argc, char **argv)
{
	static struct recording recording;
	static struct trace trace;
	bool has_any = true;

	read_options(argc, argv);
	try_file(wanted.save);
	try_file(wanted.draw);
	if (wanted.input)
		trace_load(&trace, wanted.input);
	else if (wanted.pid)
		record_process(&recording, wanted.pid, &wanted.record);
	else
		has_any = record_program(&recording, argv + optind, &wanted.record);
	if (!has_any) {
		int status = record_status();

		if (status != EXIT_NOT_RUN && status != EXIT_NOT_FOUND)		/* which has been said */
			say("%s ended before it started a thread: nothing is recorded", argv[optind]);
		return status;
	}
	if (!wanted.input) {
		trace_build(&trace, &recording);
		record_free(&recording);
	}
	produce(&trace);
	trace_free(&trace);
	return wanted.input || wanted.pid ? 0 : record_status();
}

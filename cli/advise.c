// SPDX-License-Identifier: BSD-2-Clause
/* `upcall advise`: whether threads, or these threads, would make a program faster, before anybody changes it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/base/option.h"
#include "advise/advise.h"
#include "cli.h"
#include "look/text.h"
#include "output.h"

enum { CALLS_SHOWN = 3 };
#define LEAST_S 0.2	/* a run that is shorter tells nothing */
#define MUCH 0.05	/* of the time: so much noise is worth a line */

static struct {
	bool is_json, is_checked;
	const char *file;	/* NULL: standard error */
	double for_s;
} options;

static const char *seconds_text(double s)
{
	return time_text(s > 0 ? (uint64_t)(s * 1e9) : 0);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* The calls of these kinds in which most of the time went, behind the sum. */
static void put_calls(const struct observation *seen, unsigned kinds)
{
	struct wait waits[WAITS_MAX];
	double least_s = 0.01 * seen->elapsed_s;

	memcpy(waits, seen->waits, sizeof(waits));
	for (int shown = 0; shown < CALLS_SHOWN; shown++) {
		struct wait *most = NULL;

		for (unsigned i = 0; i < seen->nwaits; i++)
			if (kinds >> waits[i].kind & 1 && (!most || waits[i].time_s > most->time_s))
				most = &waits[i];
		if (!most || most->time_s < least_s)
			break;
		printf("%s%s %s", shown ? ", " : "  ", most->call, seconds_text(most->time_s));
		most->time_s = 0;
	}
	putchar('\n');
}

static void put_row(const struct observation *seen, const char *what, double s, unsigned kinds)
{
	printf("  %-40s %9s %4.0f %%", what, seconds_text(s), percent(s, seen->elapsed_s));
	put_calls(seen, kinds);
}

static void put_seen(const char *name, const struct observation *seen, const struct advice *a)
{
	printf("%s: %s on glibc's threads%s", printable(name), seconds_text(seen->elapsed_s),
	       seen->was_stopped ? ", then stopped" : "");
	if (seen->processes > 1)
		printf(", %u processes", seen->processes);
	if (a->is_threaded)
		printf(", up to %u threads", seen->threads_peak);
	printf("%s\n", a->is_threaded ? "; the waits are those of all threads together" : ", one thread");
	put_row(seen, "computing (CT)", seen->compute_s, 0);
	put_row(seen, "waits that others could fill (AT)", a->at_s, 1 << FOR_DISK | 1 << FOR_PEER);
	put_row(seen, "waits that hold up what follows (ST)", a->st_s, 1 << FOR_ORDER);
	if (a->is_threaded)
		put_row(seen, "waits for other threads", a->thread_s, 1 << FOR_THREAD);
	put_row(seen, "waits for something to do", a->work_s, 1 << FOR_WORK);
	if (a->without_s > MUCH * seen->elapsed_s)
		put_row(seen, "ready, while others had the processors", a->without_s, 0);
	printf("  %.0f blocks (RB), %s%.0f threads started (NF)", a->blocks, seen->has_all_started ? "" : "at least ",
	       seen->started);
	if (a->is_threaded)
		printf(", %.0f switches that need no kernel thread on Upcall", a->turns + a->passes);
	printf("\n");
}

static void put_costs(const struct costs *c)
{
	printf("costs here, in us on glibc and on Upcall: a switch %.2f, %.2f; by a pipe %.2f, %.2f; "
	       "a thread %.1f, %.2f; a block %.1f, %.1f\n",
	       c->turn[ON_GLIBC] / 1e3, c->turn[ON_UPCALL] / 1e3, c->pass[ON_GLIBC] / 1e3, c->pass[ON_UPCALL] / 1e3,
	       c->start[ON_GLIBC] / 1e3, c->start[ON_UPCALL] / 1e3, c->block[ON_GLIBC] / 1e3, c->block[ON_UPCALL] / 1e3);
}

static void advise_one_thread(const struct observation *seen, const struct advice *a)
{
	printf("with a fixed number of threads: min(AT, CT) - 2 RB x %.1f us saves %s, %.0f %%\n", a->upcall_ns / 1e3,
	       a->workers_s < 0 ? "nothing" : seconds_text(a->workers_s), fmax(0, percent(a->workers_s, seen->elapsed_s)));
	printf("with a new thread for each block: saves %s, %.0f %%\n",
	       a->forks_s < 0 ? "nothing" : seconds_text(a->forks_s), fmax(0, percent(a->forks_s, seen->elapsed_s)));
	if (a->verdict == GAINS)
		printf("yes: threads on Upcall that wait beside one that computes would take %s instead of %s, on one processor\n",
		       seconds_text(seen->elapsed_s - a->workers_s), seconds_text(seen->elapsed_s));
	else if (a->verdict == LOSES)
		printf("no: its waits are so short that an upcall and a switch at either end cost more than they give\n");
	else if (a->is_saturated)
		printf("no: a disk was busy for %s of %s; it gives nothing sooner for being asked by more threads\n",
		       seconds_text(seen->device_s), seconds_text(seen->elapsed_s));
	else if (seen->compute_s > a->at_s + a->st_s + a->work_s)
		printf("no: it computes, and hardly waits; threads help only where they are spread over processors\n");
	else
		printf("no: it waits, and hardly computes; what could be done meanwhile is next to nothing\n");
}

static void advise_threads(const struct observation *seen, const struct advice *a)
{
	double share = fabs(percent(a->compute_s, seen->compute_s));

	if (a->verdict == GAINS)
		printf("yes: `upcall run` would take %s of %s off its processor time (%.0f %%), and %s off its %s\n",
		       seconds_text(a->compute_s), seconds_text(seen->compute_s), share, seconds_text(a->elapsed_s),
		       seconds_text(seen->elapsed_s));
	else if (a->verdict == LOSES)
		printf("no: `upcall run` would put %s on its %s of processor time (%.0f %%): "
		       "its blocks stay in the kernel, and cost more\n",
		       seconds_text(-a->compute_s), seconds_text(seen->compute_s), share);
	else
		printf("no: `upcall run` would change its processor time by less than 3 %%: it computes, and hardly switches\n");
}

/* Both were looked at, so that both paid for that. */
static void put_check(const struct observation *seen, const struct observation *checked, const struct advice *a)
{
	printf("checked on Upcall: %s of processor time, predicted %s (on glibc %s); elapsed %s, predicted %s (on glibc %s)\n",
	       seconds_text(checked->compute_s), seconds_text(seen->compute_s - a->compute_s), seconds_text(seen->compute_s),
	       seconds_text(checked->elapsed_s), seconds_text(seen->elapsed_s - a->elapsed_s), seconds_text(seen->elapsed_s));
}

static void json_real(const char *name, double value)
{
	json_key(name, false);
	printf("%.9g", value);
}

static void json_flag(const char *name, bool value)
{
	json_key(name, false);
	fputs(value ? "true" : "false", stdout);
}

static void json_waits(const struct observation *seen)
{
	static const char *const kinds[WAIT_KINDS] = { "disk", "peer", "order", "thread", "work" };

	json_key("waits", false);
	for (unsigned i = 0; i < seen->nwaits; i++) {
		printf("%s{\"call\": ", i ? ", " : "[");
		json_string(seen->waits[i].call);
		json_text("kind", kinds[seen->waits[i].kind]);
		json_real("time_s", seen->waits[i].time_s);
		putchar('}');
	}
	fputs(seen->nwaits ? "]" : "[]", stdout);
}

static void json_costs(const struct costs *c)
{
	static const char *const systems[COSTS] = { "glibc", "upcall" };

	json_key("costs_ns", false);
	for (int i = 0; i < COSTS; i++) {
		printf("%s\"%s\": {\"switch\": %.9g", i ? ", " : "{", systems[i], c->turn[i]);
		json_real("pipe", c->pass[i]);
		json_real("thread", c->start[i]);
		json_real("block", c->block[i]);
		putchar('}');
	}
	json_real("block_alone", c->block_alone);
	putchar('}');
}

static void put_json(const char *name, const struct observation *seen, const struct costs *costs, const struct advice *a,
		     const struct observation *checked)
{
	static const char *const verdicts[] = { [GAINS] = "gains", [NO_GAIN] = "no gain", [LOSES] = "loses" };

	printf("{\"program\": ");
	json_string(name);
	json_text("verdict", verdicts[a->verdict]);
	json_text("form", a->is_threaded ? "threads" : "one thread");
	json_real("elapsed_s", seen->elapsed_s);
	json_real("ct_s", seen->compute_s);
	json_real("at_s", a->at_s);
	json_real("st_s", a->st_s);
	json_real("thread_waits_s", a->thread_s);
	json_real("work_waits_s", a->work_s);
	json_real("without_processor_s", a->without_s);
	json_real("rb", a->blocks);
	json_real("nf", seen->started);
	json_flag("nf_exact", seen->has_all_started);
	json_real("turns", a->turns);
	json_real("passes", a->passes);
	json_number("threads_peak", seen->threads_peak);
	json_number("processes", seen->processes);
	json_number("looks", seen->looks);
	json_real("disk_busy_s", seen->device_s);
	json_flag("disk_saturated", a->is_saturated);
	json_waits(seen);
	json_costs(costs);
	if (a->is_threaded) {
		json_real("saves_ct_s", a->compute_s);
		json_real("saves_elapsed_s", a->elapsed_s);
	} else {
		json_real("upcall_and_switch_ns", a->upcall_ns);
		json_real("saves_workers_s", a->workers_s);
		json_real("saves_forks_s", a->forks_s);
	}
	if (checked) {
		json_real("checked_ct_s", checked->compute_s);
		json_real("checked_elapsed_s", checked->elapsed_s);
	}
	puts("}");
}

static void help(void)
{
	puts("usage: upcall advise [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
	     "\n"
	     "Runs a program on glibc's threads, looks at what it computes and waits for, and says\n"
	     "what threads on Upcall would save: of a program with threads, `upcall run`; of one\n"
	     "without, being rewritten with some.  The model is that of Small and Seltzer (1995).\n"
	     "\n"
	     "  --check        run it on Upcall, too, and print that beside the prediction\n"
	     "  --for=TIME     stop the program (SIGTERM) after this time, as 10s; for servers\n"
	     "  --json         as JSON\n"
	     "  --output=FILE  write it there, not on standard error\n"
	     "  --help         this text\n"
	     "\n"
	     "The exit status is the program's (0 where it was stopped); 125: an error of upcall\n"
	     "itself, 126: not an executable program, 127: no such program.");
}

static double read_time(const char *text)
{
	char *unit;
	double value = strtod(text, &unit);
	double length_s = !*unit || !strcmp(unit, "s") ? 1 : !strcmp(unit, "ms") ? 1e-3 : !strcmp(unit, "m") ? 60 : 0;

	value *= length_s;
	if (unit == text || !(value > 0 && value < 1e7))
		die(EXIT_OURS, "--for wants a time as 10s, 500ms or 2m, not '%s'", text);
	return value;
}

static const char *read_file(const char *file)
{
	int err = output_try(file);

	if (err)
		die(EXIT_OURS, "--output=%s: %s", file, strerror(err));
	return file;
}

static int read_options(int argc, char **argv)
{
	enum { CHECK = 256, FOR, JSON, OUTPUT };
	static const char letters[] = "+:h";
	static const struct option names[] = {
		{ "check", no_argument, NULL, CHECK },
		{ "for", required_argument, NULL, FOR },
		{ "json", no_argument, NULL, JSON },
		{ "output", required_argument, NULL, OUTPUT },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		switch (c) {
		case CHECK: options.is_checked = true; break;
		case FOR: options.for_s = read_time(optarg); break;
		case JSON: options.is_json = true; break;
		case OUTPUT: options.file = read_file(optarg); break;
		case 'h': help(); return 0;
		default: die(EXIT_OURS, "%s; see upcall advise --help", option_problem(c, argv, letters));
		}
	}
	if (optind == argc)
		die(EXIT_OURS, "no program given; see upcall advise --help");
	return optind;
}

/* What follows on standard output goes where the advice is wanted: the program had that to itself. */
static void turn_output(void)
{
	int fd = options.file ? open(options.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : 2;

	if (fd < 0)
		die(EXIT_OURS, "--output=%s: %s", options.file, strerror(errno));
	if (dup2(fd, 1) < 0)
		die(EXIT_OURS, "dup2: %s", strerror(errno));
}

static int status_of(const struct observation *seen)
{
	if (seen->was_stopped)
		return 0;
	return WIFEXITED(seen->status) ? WEXITSTATUS(seen->status) : 128 + WTERMSIG(seen->status);
}

static void need_looks(const char *name, const struct observation *seen)
{
	int status = status_of(seen) ? status_of(seen) : EXIT_OURS;

	if (seen->elapsed_s < LEAST_S)
		die(status, "%s ran for %s, too short a time to tell; give it more to do", name, seconds_text(seen->elapsed_s));
	if (seen->refused > seen->looks / 2)
		die(status, "the kernel does not show what %s waits for (setuid, or ptrace_scope); try as root", name);
}

static void check(char **argv, int argc, int status, struct observation *checked)
{
	if (isatty(2))
		say("now on Upcall ...");
	int err = observe_on_upcall(argv, argc, options.for_s, checked);

	if (err)
		die(EXIT_OURS, "cannot run %s on Upcall: %s", argv[0], strerror(err));
	if (!checked->was_stopped && checked->status != status)
		die(EXIT_OURS, "%s did not end on Upcall as it did on glibc; nothing can be compared", argv[0]);
}

/* Not where the user has ended it: he would have to do that again. */
static bool can_check(const char *name, const struct program *p, const struct observation *seen, const struct advice *a)
{
	if (!a->is_threaded)
		say("%s has one thread: there is nothing to check before it is rewritten", name);
	else if (p->plainly[0])
		say("%s is not checked: it would run on plain kernel threads, as %s", name, p->plainly);
	else if (WIFSIGNALED(seen->status) && !seen->was_stopped)
		say("%s is not checked: a signal ended it", name);
	else
		return true;
	return false;
}

int advise_main(int argc, char **argv)
{
	static struct program program;
	static struct observation seen, checked;
	struct costs costs;
	struct advice advice;
	int first = read_options(argc, argv);
	const char *preloaded = getenv("LD_PRELOAD");

	if (!first)
		return 0;
	if (preloaded && strstr(preloaded, "libupcall-pthread"))
		die(EXIT_OURS, "advise compares with glibc's threads, and was itself started on Upcall");
	argv += first;
	argc -= first;
	program_inspect(argv[0], &program);
	if (program.status)
		die(program.status, "%s", program.problem);
	int err = observe(&program, argv, argc, options.for_s, &seen);

	if (err)
		die(program_exit_status(err), "cannot run %s: %s", argv[0], strerror(err));
	need_looks(argv[0], &seen);
	if (isatty(2))
		say("measuring what threads cost here ...");
	if (!costs_measure(&costs))
		die(EXIT_OURS, "cannot measure what threads cost here");
	model_apply(&seen, &costs, &advice);
	bool is_checked = options.is_checked && can_check(argv[0], &program, &seen, &advice);

	if (is_checked)
		check(argv, argc, seen.status, &checked);
	turn_output();
	if (options.is_json) {
		put_json(argv[0], &seen, &costs, &advice, is_checked ? &checked : NULL);
		return status_of(&seen);
	}
	put_seen(argv[0], &seen, &advice);
	put_costs(&costs);
	if (advice.is_threaded)
		advise_threads(&seen, &advice);
	else
		advise_one_thread(&seen, &advice);
	if (program.plainly[0])
		printf("but `upcall run` would run it on plain kernel threads: %s\n", program.plainly);
	if (is_checked)
		put_check(&seen, &checked, &advice);
	return status_of(&seen);
}

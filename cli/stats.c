// SPDX-License-Identifier: BSD-2-Clause
/* `upcall stats`: the counters of a running process, for people, as JSON, or for Prometheus. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/option.h"
#include "look/look.h"
#include "look/text.h"

enum format { TABLE, JSON, PROMETHEUS };

static enum format format;
static int failures;
static bool is_first = true;

static uint64_t sum_over_vprocs(const struct target *t, const struct upcall_entry *e)
{
	uint64_t base, sum = 0;
	size_t bytes, n = target_vprocs(t, &base, &bytes);

	for (size_t i = 0; i < n; i++)
		sum += target_read_word(t, base + i * bytes + e->value, e->bytes);
	return sum;
}

static uint64_t value_of(const struct target *t, const struct upcall_entry *e)
{
	uint64_t value = e->kind == UPCALL_VPROC_COUNTER ? sum_over_vprocs(t, e)
							 : target_read_word(t, e->value, e->bytes);

	return value + (uint64_t)(int64_t)e->bias;
}

/* Its name ends in a dot, and who tells comes behind: none where no thread was started. */
static bool names_source(const struct upcall_entry *e)
{
	size_t len = strlen(e->name);

	return len && e->name[len - 1] == '.';
}

/*
 * Prometheus wants all lines of a metric together, whichever process they are of: so they are
 * collected first.  upcalls.blocked.perf becomes upcall_upcalls_blocked_total{...,source="perf"}.
 */
struct sample {
	char name[64];
	bool is_gauge, has_source, is_put;
	char command[32], source[16];
	pid_t pid;
	uint64_t value;
};

static struct sample *samples;
static size_t nsamples, samples_room;

static void collect(const struct target *t, const struct upcall_entry *e, uint64_t value)
{
	size_t len = strlen(e->name);

	if (nsamples == samples_room) {
		samples_room = samples_room ? 2 * samples_room : 64;
		samples = realloc(samples, samples_room * sizeof(*samples));
		if (!samples)
			die(1, "out of memory");
	}
	struct sample *s = &samples[nsamples++];

	*s = (struct sample){ .is_gauge = e->kind == UPCALL_GAUGE, .pid = t->pid, .value = value };
	s->has_source = names_source(e) && *t->page.source;
	snprintf(s->name, sizeof(s->name), "upcall_%.*s%s", (int)(len - names_source(e)), e->name,
		 s->is_gauge ? "" : "_total");
	for (char *p = s->name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	strcpy(s->command, t->command);
	strcpy(s->source, t->page.source);
}

/* The format knows three escapes, and UTF-8. */
static void put_label(const char *name, const char *value)
{
	printf(",%s=\"", name);
	while (*value) {
		size_t n = text_length(value);

		if (*value == '\n')
			fputs("\\n", stdout);
		else if (*value == '"' || *value == '\\')
			printf("\\%c", *value);
		else
			printf("%.*s", n ? (int)n : 1, n ? value : "?");
		value += n ? n : 1;
	}
	putchar('"');
}

static void put_sample(struct sample *s)
{
	printf("%s{pid=\"%d\"", s->name, (int)s->pid);
	put_label("command", s->command);
	if (s->has_source)
		put_label("source", s->source);
	printf("} %" PRIu64 "\n", s->value);
	s->is_put = true;
}

static void put_samples(void)
{
	for (size_t i = 0; i < nsamples; i++) {
		if (samples[i].is_put)
			continue;
		printf("# TYPE %s %s\n", samples[i].name, samples[i].is_gauge ? "gauge" : "counter");
		for (size_t k = i; k < nsamples; k++)
			if (!strcmp(samples[k].name, samples[i].name))
				put_sample(&samples[k]);
	}
	free(samples);
}

static void put_one(const struct target *t, const struct upcall_entry *e)
{
	bool has_dot = names_source(e), has_source = has_dot && *t->page.source;
	uint64_t value = value_of(t, e);
	char name[64];

	snprintf(name, sizeof(name), "%.*s%s", (int)strlen(e->name) - (has_dot && !has_source), e->name,
		 has_source ? t->page.source : "");
	if (format == PROMETHEUS)
		collect(t, e, value);
	else if (format == JSON)
		json_number(name, value);
	else
		printf("  %-28s %14" PRIu64 "\n", printable(name), value);
}

static void look_at(pid_t pid, void *arg)
{
	struct target t;

	if (!target_open_pid(&t, pid)) {
		if (arg || pid_has_library(pid)) {
			say("process %d: %s", (int)pid, t.problem);
			failures++;
		}
		target_close(&t);
		return;
	}
	if (format == JSON) {
		printf(is_first ? "\n  {\"pid\": %d" : ",\n  {\"pid\": %d", (int)pid);
		json_text("command", t.command);
	} else if (format == TABLE) {
		printf("%d %s\n", (int)pid, printable(t.command));
	}
	for (uint32_t i = 0; i < t.page.nentries; i++) {
		const struct upcall_entry *e = &t.entries[i];

		if (e->kind == UPCALL_COUNTER || e->kind == UPCALL_GAUGE || e->kind == UPCALL_VPROC_COUNTER)
			put_one(&t, e);
	}
	if (format == JSON)
		putchar('}');
	is_first = false;
	target_close(&t);
}

static void help(void)
{
	puts("usage: upcall stats [--json | --prometheus] [PID...]\n"
	     "\n"
	     "Prints the counters of processes that upcall runs (all of them by default).\n"
	     "The process is not stopped.\n"
	     "\n"
	     "  --json         as JSON\n"
	     "  --prometheus   in the text format of Prometheus\n"
	     "  --help         this text");
}

int stats_main(int argc, char **argv)
{
	enum { AS_JSON = 256, AS_PROMETHEUS };
	static const char letters[] = ":h";
	static const struct option options[] = {
		{ "json", no_argument, NULL, AS_JSON },
		{ "prometheus", no_argument, NULL, AS_PROMETHEUS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case AS_JSON: format = JSON; break;
		case AS_PROMETHEUS: format = PROMETHEUS; break;
		case 'h': help(); return 0;
		default: die(LOOK_USAGE, "%s; see upcall stats --help", option_problem(c, argv, letters));
		}
	}
	for (int i = optind; i < argc; i++)
		read_pid(argv[i], "stats");
	if (format == JSON)
		printf("{\"processes\": [");
	for (int i = optind; i < argc; i++)
		look_at(read_pid(argv[i], "stats"), &format);
	if (optind == argc && each_process(look_at, NULL) == 0 && format == TABLE)
		die(1, "no process that this user may look at is run by upcall");
	if (format == JSON)
		puts("\n]}");
	put_samples();
	return failures ? 1 : 0;
}

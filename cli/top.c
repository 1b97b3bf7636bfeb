// SPDX-License-Identifier: BSD-2-Clause
/* `upcall top`: what the processes that upcall runs do now, on a terminal, as text or as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../src/base/option.h"
#include "look/look.h"
#include "look/text.h"
#include "top/view.h"
#ifdef HAVE_CURSES
#include "top/screen.h"
#endif

enum { THREAD_ROWS = 10 };

static void json_share(const char *name, double share)
{
	json_key(name, false);
	if (share < 0)
		printf("null");
	else
		printf("%.4f", share);
}

static void json_rates(const struct rate *rates, int n)
{
	for (int i = 0; i < n; i++) {
		char name[40];

		json_number(counter_names[i], rates[i].count);
		snprintf(name, sizeof(name), "%s_per_s", counter_names[i]);
		json_key(name, false);
		printf(rates[i].per_s < 0 ? "null" : "%.2f", rates[i].per_s);
	}
}

static void json_vproc(const struct top_vproc *vp, bool first)
{
	printf(first ? "{\"id\": %u, \"cpu\": %d" : ", {\"id\": %u, \"cpu\": %d", vp->id, vp->cpu);
	json_text("state", vp->state);
	json_number("thread", vp->thread ? vp->thread : UINT64_MAX);
	json_number("queue", vp->queue);
	json_share("busy", vp->busy);
	json_rates(vp->rates, C_PER_VPROC);
	putchar('}');
}

static void json_thread(struct top_process *p, const struct top_thread *row, bool first)
{
	struct wait_info w;
	struct line l;

	wait_of(&p->snapshot, row->t, &w);
	line_clear(&l);
	describe_wait(&l, &p->snapshot, &w);
	printf(first ? "{\"id\": %u" : ", {\"id\": %u", row->t->id);
	json_text("name", thread_label(&p->snapshot, row->t));
	json_text("state", look_state_names[row->t->state]);
	json_share("cpu", row->cpu);
	json_number("cpu_ns", thread_cpu_ns(&p->snapshot, row->t));
	json_number("time_ns", thread_for_ns(&p->snapshot, row->t));
	json_text("waits_for", l.len ? l.text : NULL);
	putchar('}');
}

static void json_process(struct view *v, struct top_process *p, bool first)
{
	struct top_thread **rows;
	size_t n;

	printf(first ? "{\"pid\": %d" : ", {\"pid\": %d", (int)p->pid);
	json_text("command", p->target.command);
	json_share("cpu", p->cpu);
	json_number("threads_live", p->live);
	json_number("ready", p->queue);
	json_text("source", p->target.page.source);
	json_number("activations_running", p->running);
	json_number("activations_blocked", p->blocked);
	json_number("activations_spare", p->spare);
	json_rates(p->rates, C_ALL);
	printf(", \"states\": {");
	for (int i = 0; i < LOOK_STATES; i++)
		printf(i ? ", \"%s\": %zu" : "\"%s\": %zu", look_state_names[i], p->states[i]);
	printf("}");
	json_number("io_waiters", p->io_waiters);
	printf(", \"vprocs\": [");
	for (size_t i = 0; i < p->nvprocs; i++)
		json_vproc(&p->vprocs[i], i == 0);
	printf("], \"busiest\": [");
	wait_prepare(&p->snapshot);		/* it was the last one's that was looked at */
	n = view_threads(v, p, (size_t)v->thread_rows, &rows);
	for (size_t i = 0; i < n; i++)
		json_thread(p, rows[i], i == 0);
	free(rows);
	printf("]}");
}

/* A line for each look, so that a reader needs no end to understand the beginning. */
static void print_json(struct view *v, struct top *top)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	printf("{\"time\": %" PRIu64 ".%03" PRIu64, (uint64_t)ts.tv_sec, (uint64_t)ts.tv_nsec / 1000000);
	printf(", \"processes\": [");
	for (size_t i = 0; i < top->n; i++)
		json_process(v, top->processes[i], i == 0);
	puts("]}");
}

static void print_text(struct view *v, struct top *top)
{
	view_begin(v);
	view_batch(v, top);
	for (size_t i = 0; i < v->n; i++) {
		struct line *l = &v->lines[i].text;

		while (l->len && l->text[l->len - 1] == ' ')
			l->text[--l->len] = 0;
		puts(l->text);
	}
	putchar('\n');
}

static void pause_for(double seconds)
{
	struct timespec ts = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&ts, NULL);
}

/* Rates need two looks, so the first one is not printed. */
static int run_batch(struct top *top, struct view *v, unsigned long rounds, bool is_json)
{
	top->is_thorough = true;
	top_sample(top, -1);
	for (unsigned long i = 0; !rounds || i < rounds; i++) {
		if (top->n) {
			pause_for(v->delay);
			top_sample(top, -1);
		}
		if (!top->n)
			die(1, "%s", top->nclosed ? top->problem
						  : "no process that this user may look at is run by upcall");
		if (is_json)
			print_json(v, top);
		else
			print_text(v, top);
		if (fflush(stdout))
			return 1;
	}
	return top->pids && top->nclosed ? 1 : 0;
}

static void run_screen(struct top *top, struct view *v, unsigned long rounds)
{
#ifdef HAVE_CURSES
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		die(1, "standard input and output are no terminal; -b prints plain text");
	v->pane = top->npids == 1 ? PANE_THREADS : PANE_PROCESSES;
	screen_run(top, v, rounds);
#else
	(void)top, (void)v, (void)rounds;
	die(1, "top was built without ncurses; -b prints plain text");
#endif
}

static void help(void)
{
	puts("usage: upcall top [--delay=SECONDS] [--count=N] [--sort=ORDER] [--filter=TEXT]\n"
	     "                  [--batch | --json] [--threads=N] [PID...]\n"
	     "\n"
	     "Shows what the processes that upcall runs (all of them by default) do now: each\n"
	     "process, its vprocs, and its busiest threads.  The key h says more.\n"
	     "\n"
	     "  -d, --delay=SECONDS   look so often (default: 2)\n"
	     "  -n, --count=N         look N times, then end\n"
	     "  -b, --batch           print plain text, one look after the other\n"
	     "      --json            print JSON, a line for each look\n"
	     "      --threads=N       print so many threads of each process (default: 10)\n"
	     "      --sort=ORDER      cpu (the default), total, time, stack, id, name or state\n"
	     "      --filter=TEXT     threads with this in their name, state or kind of wait\n"
	     "      --help            this text\n"
	     "\n"
	     "Nothing is stopped.  Another user's processes can be looked at by root only.");
}

static double read_delay(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !(seconds >= 0.05 && seconds <= 3600))
		die(LOOK_USAGE, "--delay wants seconds from 0.05 to 3600, not '%s'", text);
	return seconds;
}

static unsigned long read_count(const char *option, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || *text == '-' || !n || n > 100000000)
		die(LOOK_USAGE, "%s wants a number above 0, not '%s'", option, text);
	return n;
}

static int read_order(const char *word)
{
	int order = view_find_order(word);

	if (order < 0)
		die(LOOK_USAGE, "--sort does not know '%s'; see upcall top --help", word);
	return order;
}

int top_main(int argc, char **argv)
{
	enum { JSON = 256, THREADS, SORT, FILTER };
	static const char letters[] = ":d:n:bh";
	static const struct option options[] = {
		{ "delay", required_argument, NULL, 'd' },	 { "count", required_argument, NULL, 'n' },
		{ "batch", no_argument, NULL, 'b' },		 { "json", no_argument, NULL, JSON },
		{ "threads", required_argument, NULL, THREADS }, { "sort", required_argument, NULL, SORT },
		{ "filter", required_argument, NULL, FILTER },	 { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	static struct view v = { .thread_rows = THREAD_ROWS, .delay = 2 };
	static struct top top;
	bool is_batch = false, is_json = false;
	unsigned long rounds = 0;
	pid_t *pids = calloc((size_t)argc, sizeof(*pids));
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case 'd': v.delay = read_delay(optarg); break;
		case 'n': rounds = read_count("--count", optarg); break;
		case 'b': is_batch = true; break;
		case JSON: is_json = true; break;
		case THREADS: v.thread_rows = (int)read_count("--threads", optarg); break;
		case SORT: v.order = read_order(optarg); break;
		case FILTER: snprintf(v.filter, sizeof(v.filter), "%s", optarg); break;
		case 'h': help(); return 0;
		default: die(LOOK_USAGE, "%s; see upcall top --help", option_problem(c, argv, letters));
		}
	}
	for (int i = optind; pids && i < argc; i++)
		pids[top.npids++] = read_pid(argv[i], "top");
	top.pids = top.npids ? pids : NULL;
	if (is_batch || is_json)
		return run_batch(&top, &v, rounds, is_json);
	run_screen(&top, &v, rounds);
	return 0;
}

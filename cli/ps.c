// SPDX-License-Identifier: BSD-2-Clause
/* `upcall ps`: every thread of every process that upcall runs, and what it waits for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/option.h"
#include "look/describe.h"
#include "look/look.h"
#include "look/text.h"

enum { TASKS_MAX = 1 << 17 };

static struct {
	bool is_json;
	int sort;		/* index into orders */
	unsigned states;	/* bits of enum look_state; 0: all */
	bool is_first;
	int failures;
} ps = { .is_first = true };

static const struct snapshot *sorted;

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int order_id(const struct look_thread *a, const struct look_thread *b)
{
	return compare(a->id, b->id);
}

static int order_name(const struct look_thread *a, const struct look_thread *b)
{
	return strcmp(a->name, b->name);
}

static int order_state(const struct look_thread *a, const struct look_thread *b)
{
	return compare(a->state, b->state);
}

/* The larger ones first. */
static int order_cpu(const struct look_thread *a, const struct look_thread *b)
{
	return compare(thread_cpu_ns(sorted, b), thread_cpu_ns(sorted, a));
}

static int order_time(const struct look_thread *a, const struct look_thread *b)
{
	return compare(thread_for_ns(sorted, b) + 1, thread_for_ns(sorted, a) + 1);
}

static int order_stack(const struct look_thread *a, const struct look_thread *b)
{
	return compare(stack_used(b) + 1, stack_used(a) + 1);
}

static const struct order {
	const char *name;
	int (*compare)(const struct look_thread *a, const struct look_thread *b);
} orders[] = {
	{ "id", order_id },	  { "name", order_name }, { "state", order_state },
	{ "cpu", order_cpu },	  { "time", order_time }, { "stack", order_stack },
};

static int by_order(const void *a, const void *b)
{
	const struct look_thread *x = *(struct look_thread *const *)a, *y = *(struct look_thread *const *)b;
	int c = orders[ps.sort].compare(x, y);

	return c ? c : compare(x->id, y->id);
}

static void print_line(struct line *l)
{
	l->text[l->len++] = '\n';
	fwrite_unlocked(l->text, 1, l->len, stdout);
}

static void print_row(struct snapshot *s, struct look_thread *t, const struct wait_info *w)
{
	uint64_t used = stack_used(t);
	struct line l;

	line_clear(&l);
	line_number(&l, t->id, 7);
	line_text(&l, " ", 0);
	line_text(&l, thread_label(s, t), -16);
	line_text(&l, " ", 0);
	line_text(&l, look_state_names[t->state], -7);
	line_text(&l, " ", 0);
	describe_place(&l, s, t, w, -11);
	line_text(&l, time_text(thread_cpu_ns(s, t)), 9);
	line_text(&l, time_text(thread_for_ns(s, t)), 9);
	line_text(&l, used == UINT64_MAX ? "-" : bytes_text(used), 7);
	line_text(&l, t->stack_bytes ? bytes_text(t->stack_bytes) : "-", 6);
	line_text(&l, " ", 0);
	describe_wait(&l, s, w);
	print_line(&l);
}

/* The first of many descriptors, and how many there are. */
static void json_fds(const struct snapshot *s, const struct wait_info *w)
{
	char name[256] = "";

	json_number("nfds", w->nfds);
	json_key("fds", false);
	for (unsigned i = 0; i < w->nfds && i < WAIT_FDS; i++) {
		printf(i ? ", {\"fd\": %d" : "[{\"fd\": %d", w->fds[i]);
		if (s->target->pid)
			kernel_fd_name(s->target->pid, w->fds[i], name, sizeof(name));
		json_text("fd_is", name);
		putchar('}');
	}
	putchar(']');
}

static void json_block(struct snapshot *s, const struct wait_info *w)
{
	char state[2] = { w->kernel.state, 0 };
	const char *symbol = target_symbol(s->target, w->fault_pc);

	if (w->fault_pc) {
		json_address("at", w->fault_pc);
		json_text("in", *symbol ? symbol : NULL);
	}
	json_text("kernel_state", state);
	json_text("kernel_function", *w->kernel.function ? w->kernel.function : NULL);
}

static void json_wait(struct snapshot *s, const struct wait_info *w)
{
	char name[256] = "";

	printf(", \"waits_for\": {\"kind\": ");
	json_string(w->kind ? w->kind : "kernel");
	json_address("object", w->object);
	json_text("symbol", *w->symbol ? w->symbol : NULL);
	json_number("owner", w->owner ? w->owner->id : UINT64_MAX);
	if (w->owner_tid && !w->owner)
		json_number("owner_tid", (uint64_t)w->owner_tid);
	if (w->readers)
		json_number("readers", w->readers);
	json_number("left_ns", w->left_ns);
	if (w->fd >= 0) {
		json_number("fd", (uint64_t)w->fd);
		if (s->target->pid)
			kernel_fd_name(s->target->pid, w->fd, name, sizeof(name));
		json_text("fd_is", name);
	}
	if (w->nfds)
		json_fds(s, w);
	if (*w->direction)
		json_text("for", w->direction);
	if (!w->kind)
		json_text("call", w->call);
	if (!w->kind && !w->call)
		json_number("call_number", (uint64_t)w->call_number);
	if (!w->kind)
		json_block(s, w);
	putchar('}');
}

static void json_row(struct snapshot *s, struct look_thread *t, const struct wait_info *w, bool first)
{
	const struct look_vproc *vp = vproc_of(s, t);

	printf(first ? "\n    {\"id\": %u" : ",\n    {\"id\": %u", t->id);
	json_text("name", t->name[0] ? t->name : NULL);
	json_text("start", *target_symbol(s->target, t->start) ? target_symbol(s->target, t->start) : NULL);
	json_text("state", look_state_names[t->state]);
	json_number("tid", (uint64_t)t->tid);
	json_number("vproc", vp ? vp->id : UINT64_MAX);
	json_number("kernel_tid", w->kernel_tid ? (uint64_t)w->kernel_tid : UINT64_MAX);
	json_number("cpu_ns", thread_cpu_ns(s, t));
	json_number("time_ns", thread_for_ns(s, t));
	json_number("stack_used_bytes", stack_used(t));
	json_number("stack_bytes", t->stack_bytes ? t->stack_bytes : UINT64_MAX);
	if (w->kind || w->call || w->call_number > 0)
		json_wait(s, w);
	putchar('}');
}

static void print_circle(struct snapshot *s, const struct circle *c)
{
	printf("deadlock:");
	for (size_t i = 0; i < c->n; i++) {
		struct wait_info w;
		struct line l;

		wait_of(s, c->threads[i], &w);
		line_clear(&l);
		describe_object(&l, &w);
		if (w.kind)
			describe_owner(&l, s, &w);
		printf("%s %u %s waits for %s%s", i ? "," : "", c->threads[i]->id,
		       printable(thread_label(s, c->threads[i])), printable(w.kind ? w.kind : "?"), l.text);
	}
	putchar('\n');
}

static void print_circles(struct snapshot *s, const struct circle *circles, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_circle(s, &circles[i]);
}

static void json_circles(const struct circle *circles, size_t n)
{
	printf("\n  ], \"deadlocks\": [");
	for (size_t i = 0; i < n; i++) {
		printf(i ? ", [" : "[");
		for (size_t k = 0; k < circles[i].n; k++)
			printf(k ? ", %u" : "%u", circles[i].threads[k]->id);
		printf("]");
	}
	printf("]");
}

struct tasks {
	int *tids, n;
	unsigned running, blocked, spare, bound, foreign;
};

static void count_tasks(const struct snapshot *s, struct tasks *k)
{
	*k = (struct tasks){ .tids = malloc(TASKS_MAX * sizeof(int)) };
	k->n = k->tids && s->target->pid ? kernel_tasks(s->target->pid, k->tids, TASKS_MAX) : 0;
	for (int i = 0; i < k->n; i++) {
		const char *role = role_of(s, k->tids[i]);

		if (!role)
			k->bound++;
		else if (!strcmp(role, "running"))
			k->running++;
		else if (!strcmp(role, "blocked"))
			k->blocked++;
		else if (!strcmp(role, "foreign"))
			k->foreign++;
		else if (!strcmp(role, "spare"))
			k->spare++;
	}
}

static void print_tasks(struct snapshot *s, const struct tasks *k)
{
	for (int i = 0; i < k->n; i++) {
		const char *role = role_of(s, k->tids[i]);
		struct wait_info w;
		struct line l;
		char name[32];

		if (!role || strcmp(role, "foreign") != 0)
			continue;
		kernel_task_name(s->target->pid, k->tids[i], name, sizeof(name));
		wait_of_kernel(s, k->tids[i], &w);
		line_clear(&l);
		line_format(&l, "%7s %-16s %-7s %-11d %8s %8s %6s %5s ", "-", name, "foreign", k->tids[i],
			    time_text(kernel_cpu_ns(s->target->pid, k->tids[i])), "-", "-", "-");
		describe_wait(&l, s, &w);
		print_line(&l);
	}
}

static void json_tasks(struct snapshot *s, const struct tasks *k)
{
	printf(", \"kernel_threads\": [");
	for (int i = 0; i < k->n; i++) {
		const char *role = role_of(s, k->tids[i]);
		struct wait_info w;
		char name[32];

		kernel_task_name(s->target->pid, k->tids[i], name, sizeof(name));
		wait_of_kernel(s, k->tids[i], &w);
		printf(i ? ",\n    {\"tid\": %d" : "\n    {\"tid\": %d", k->tids[i]);
		json_text("name", name);
		json_text("role", role ? role : "bound");
		json_number("cpu_ns", kernel_cpu_ns(s->target->pid, k->tids[i]));
		json_text("call", w.call);
		putchar('}');
	}
	printf("]");
}

static void print_head(const struct snapshot *s, const struct tasks *k)
{
	if (s->target->pid)
		printf("%d ", (int)s->target->pid);
	printf("%s: %zu thread%s", printable(s->target->command), s->nthreads, s->nthreads == 1 ? "" : "s");
	if (!s->is_started)
		printf(", not started");
	else
		printf(" on %zu vproc%s", s->nvprocs, s->nvprocs == 1 ? "" : "s");
	if (s->target->pid)
		printf("; %d kernel thread%s: %u running, %u blocked, %u spare, %u bound, %u foreign%s", k->n,
		       k->n == 1 ? "" : "s", k->running, k->blocked, k->spare, k->bound, k->foreign,
		       s->clerk_tid ? ", the monitor, the clerk" : s->monitor_tid ? ", the monitor" : "");
	putchar('\n');
	printf("%7s %-16s %-7s %-11s %8s %8s %6s %5s %s\n", "ID", "NAME", "STATE", "ON", "CPU", "TIME", "STACK",
	       "OF", "WAITS FOR");
}

static void json_head(const struct snapshot *s)
{
	printf(ps.is_first ? "\n {\"pid\": %d" : ",\n {\"pid\": %d", (int)s->target->pid);
	json_text("command", s->target->command);
	json_number("vprocs", s->nvprocs);
	printf(", \"threads\": [");
}

static bool is_sorted(struct look_thread *const *rows, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_order(&rows[i - 1], &rows[i]) > 0)
			return false;
	return true;
}

/* The threads that are asked for, in order; threads that run are looked at more closely first. */
static struct look_thread **choose(struct snapshot *s, size_t *ret_n)
{
	struct look_thread **rows = malloc((s->nthreads + 1) * sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; rows && i < s->nthreads; i++) {
		struct look_thread *t = &s->threads[i];
		struct wait_info w;

		if (t->state == LOOK_RUNNING)
			wait_of(s, t, &w);
		if (!ps.states || (ps.states >> t->state & 1))
			rows[n++] = t;
	}
	sorted = s;
	if (rows && !is_sorted(rows, n))
		qsort(rows, n, sizeof(*rows), by_order);
	*ret_n = rows ? n : 0;
	return rows;
}

static void show(struct snapshot *s)
{
	struct circle *circles;
	struct tasks tasks;
	size_t n, ncircles;

	wait_prepare(s);
	count_tasks(s, &tasks);
	struct look_thread **rows = choose(s, &n);

	if (ps.is_json)
		json_head(s);
	else
		print_head(s, &tasks);
	for (size_t i = 0; i < n; i++) {
		struct wait_info w;

		wait_of(s, rows[i], &w);
		if (ps.is_json)
			json_row(s, rows[i], &w, i == 0);
		else
			print_row(s, rows[i], &w);
	}
	ncircles = circles_find(s, &circles);
	if (ps.is_json) {
		json_circles(circles, ncircles);
		json_tasks(s, &tasks);
		printf("}");
	} else {
		if (!ps.states)
			print_tasks(s, &tasks);
		print_circles(s, circles, ncircles);
	}
	circles_free(circles, ncircles);
	free(rows);
	free(tasks.tids);
}

static void look_at(pid_t pid, void *arg)
{
	struct target t;
	struct snapshot s;
	bool is_asked_for = arg != NULL;

	if (!target_open_pid(&t, pid) || !snapshot_take(&s, &t)) {
		/* A process that ended meanwhile is no failure when all are listed. */
		if (is_asked_for || pid_has_library(pid)) {
			say("process %d: %s", (int)pid, t.problem);
			ps.failures++;
		}
	} else {
		if (!ps.is_first && !ps.is_json)
			putchar('\n');
		show(&s);
		ps.is_first = false;
		snapshot_free(&s);
	}
	target_close(&t);
}

static void look_at_core(const char *core, const char *program)
{
	struct target t;
	struct snapshot s;

	if (!target_open_core(&t, core, program) || !snapshot_take(&s, &t))
		die(1, "core file %s: %s", core, t.problem);
	if (s.is_cut)
		say("the core file lacks some threads' memory (gcore gives up at guard pages: see upcall-stack(1))");
	show(&s);
	snapshot_free(&s);
	target_close(&t);
}

static void help(void)
{
	puts("usage: upcall ps [--json] [--sort=ORDER] [--state=STATE,...] [-a | PID...]\n"
	     "       upcall ps [--json] [--sort=ORDER] [--state=STATE,...] --core FILE PROGRAM\n"
	     "\n"
	     "Lists the threads of the processes that upcall runs (all of them by default),\n"
	     "what each waits for and who holds it, and says so if threads wait in a circle.\n"
	     "Nothing is stopped.\n"
	     "\n"
	     "  --json         the same as JSON\n"
	     "  --sort=ORDER   id (the default), name, state, cpu, time or stack\n"
	     "  --state=LIST   of new, ready, running, parked, kernel, bound, done\n"
	     "  -a             all processes\n"
	     "  --core FILE    a core file of PROGRAM instead\n"
	     "  --help         this text\n"
	     "\n"
	     "Another user's processes can be looked at by root only.");
}

static void set_sort(const char *word)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (!strcmp(word, orders[i].name)) {
			ps.sort = (int)i;
			return;
		}
	}
	die(LOOK_USAGE, "--sort does not know '%s'; see upcall ps --help", word);
}

static void set_states(char *list)
{
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		int state = 0;

		while (state < LOOK_STATES && strcmp(word, look_state_names[state]) != 0)
			state++;
		if (state == LOOK_STATES)
			die(LOOK_USAGE, "--state does not know '%s'; see upcall ps --help", word);
		ps.states |= 1u << state;
	}
	if (!ps.states)
		die(LOOK_USAGE, "--state names no state; see upcall ps --help");
}

int ps_main(int argc, char **argv)
{
	enum { JSON = 256, SORT, STATE, CORE };
	static const char letters[] = ":ah";
	static const struct option options[] = {
		{ "json", no_argument, NULL, JSON },
		{ "sort", required_argument, NULL, SORT },
		{ "state", required_argument, NULL, STATE },
		{ "core", required_argument, NULL, CORE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *core = NULL;
	bool all = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case JSON: ps.is_json = true; break;
		case SORT: set_sort(optarg); break;
		case STATE: set_states(optarg); break;
		case 'a': all = true; break;
		case CORE: core = optarg; break;
		case 'h': help(); return 0;
		default: die(LOOK_USAGE, "%s; see upcall ps --help", option_problem(c, argv, letters));
		}
	}
	if (all && optind < argc)
		die(LOOK_USAGE, "either -a or process ids; see upcall ps --help");
	if (core && (all || argc - optind != 1))
		die(LOOK_USAGE, "--core FILE wants the PROGRAM that dumped it; see upcall ps --help");
	for (int i = optind; i < argc && !core; i++)
		read_pid(argv[i], "ps");
	if (ps.is_json)
		printf("{\"processes\": [");
	if (core)
		look_at_core(core, argv[optind]);
	for (int i = optind; i < argc && !core; i++)
		look_at(read_pid(argv[i], "ps"), &ps);
	if (optind == argc && each_process(look_at, NULL) == 0) {
		if (!ps.is_json)
			die(1, "no process that this user may look at is run by upcall");
	}
	if (ps.is_json)
		puts("\n]}");
	return ps.failures ? 1 : 0;
}

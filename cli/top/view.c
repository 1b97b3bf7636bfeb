// SPDX-License-Identifier: BSD-2-Clause
#include "view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../look/look.h"
#include "../look/text.h"

enum { SMALL_PROCESSES = 3, SMALL_VPROCS = 4, SMALL_THREADS = 4, INSERT_MOST = 1024, WIDE = 110 };

static struct line *add(struct view *v, enum style style)
{
	if (v->n == v->room) {
		v->room = v->room ? 2 * v->room : 64;
		v->lines = realloc(v->lines, v->room * sizeof(*v->lines));
		if (!v->lines)
			die(1, "out of memory");
	}
	struct view_line *one = &v->lines[v->n++];

	line_clear(&one->text);
	one->style = style;
	return &one->text;
}

void view_begin(struct view *v)
{
	v->n = 0;
	v->thread = 0;
	memset(v->rows, 0, sizeof(v->rows));
}

/* Right-aligned: "12.5", "4711", "123k", "4.5M"; "-" for what is not known. */
static void put_rate(struct line *l, double per_s, int width)
{
	char text[32] = "-";

	if (per_s >= 1e7)
		snprintf(text, sizeof(text), "%.1fM", per_s / 1e6);
	else if (per_s >= 1e5)
		snprintf(text, sizeof(text), "%.0fk", per_s / 1e3);
	else if (per_s >= 0)
		snprintf(text, sizeof(text), per_s < 99.95 && per_s > 0 ? "%.1f" : "%.0f", per_s);
	line_text(l, text, width);
}

static void put_percent(struct line *l, double share, int width)
{
	char text[32] = "-";

	if (share >= 0)
		snprintf(text, sizeof(text), share < 99.995 ? "%.1f" : "%.0f", 100 * share);
	line_text(l, text, width);
}

static void put_rates(struct line *l, const struct rate *rates, const enum counter *which, size_t n, int width)
{
	for (size_t i = 0; i < n; i++)
		put_rate(l, rates[which[i]].per_s, width);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A narrow screen has only the first columns: the most telling ones. */
static const enum counter process_rates[] = {
	C_SWITCHES, C_STEALS, C_IO_WAITS, C_PARKS, C_PREEMPTIONS, C_WAKEUPS, C_BLOCKED,
};
static const char process_head[] = "    PID COMMAND           CPU% THREADS READY  RUN  BLK SPARE"
				   " SWITCH/s  STEAL/s     IO/s   PARK/s  PREEM/s   WAKE/s  BLOCK/s";
enum { PROCESS_NARROW = 2, PROCESS_NARROW_WIDTH = 79 };

static const enum counter vproc_rates[] = {
	C_SWITCHES, C_IO_WAITS, C_STEALS, C_PREEMPTIONS, C_WAKEUPS, C_BLOCKED, C_PARKS,
};
static const char vproc_head[] = "  VP CPU STATE   BUSY% QUEUE SWITCH/s    IO/s STEAL/s PREEM/s  WAKE/s BLOCK/s"
				 "  PARK/s RUNS";
enum { VPROC_NARROW = 6, VPROC_NARROW_WIDTH = 78 };

static bool is_wide(const struct view *v)
{
	return !v->height || v->width >= WIDE;
}

/* The mark says without colour where the cursor is. */
static struct line *add_row(struct view *v, bool is_chosen, bool has_cursor)
{
	struct line *l = add(v, has_cursor ? STYLE_CURSOR : STYLE_PLAIN);

	line_text(l, is_chosen ? ">" : " ", 0);
	return l;
}

static void add_process_head(struct view *v)
{
	line_format(add(v, STYLE_HEAD), "%.*s", is_wide(v) ? -1 : PROCESS_NARROW_WIDTH, process_head);
}

static void add_process(struct view *v, const struct top_process *p, bool is_chosen, bool has_cursor)
{
	struct line *l = add_row(v, is_chosen, has_cursor);

	line_number(l, (uint64_t)p->pid, 6);
	line_format(l, " %-15.15s", p->target.command);
	put_percent(l, p->cpu, 7);
	line_number(l, p->live, 8);
	line_number(l, p->queue, 6);
	line_number(l, p->running, 5);
	line_number(l, p->blocked, 5);
	line_number(l, p->spare, 6);
	put_rates(l, p->rates, process_rates, is_wide(v) ? COUNT(process_rates) : PROCESS_NARROW, 9);
}

static void add_vproc(struct view *v, struct top_process *p, const struct top_vproc *vp, bool has_cursor)
{
	struct line *l = add_row(v, has_cursor, has_cursor);
	const struct look_thread *t;

	line_number(l, vp->id, 3);
	if (vp->cpu < 0)	/* there is but one */
		line_text(l, "-", 4);
	else
		line_number(l, (uint64_t)vp->cpu, 4);
	line_format(l, " %-7s", vp->state);
	put_percent(l, vp->busy, 6);
	line_number(l, vp->queue, 6);
	put_rate(l, vp->rates[vproc_rates[0]].per_s, 9);
	put_rates(l, vp->rates, vproc_rates + 1, (is_wide(v) ? COUNT(vproc_rates) : VPROC_NARROW) - 1, 8);
	if (!is_wide(v))
		return;
	t = vp->thread && p->has_threads ? snapshot_by_id(&p->snapshot, vp->thread) : NULL;
	if (vp->thread)
		line_format(l, " %u %s", vp->thread, t ? thread_label(&p->snapshot, t) : "");
}

static void add_thread(struct view *v, struct top_process *p, const struct top_thread *row, bool has_cursor)
{
	struct line *l = add_row(v, has_cursor, has_cursor);
	struct look_thread *t = row->t;
	struct snapshot *s = &p->snapshot;
	uint64_t used = stack_used(t);
	struct wait_info w;

	wait_of(s, t, &w);
	line_number(l, t->id, 7);
	line_format(l, " %-15.15s %-7s", thread_label(s, t), look_state_names[t->state]);
	put_percent(l, row->cpu, 6);
	line_text(l, time_text(thread_cpu_ns(s, t)), 8);
	line_text(l, time_text(thread_for_ns(s, t)), 7);
	if (is_wide(v)) {
		line_text(l, used == UINT64_MAX ? "-" : bytes_text(used), 7);
		line_text(l, " ", 0);
		describe_place(l, s, t, &w, -12);
	}
	line_text(l, " ", 0);
	describe_wait(l, s, &w);
}

static void add_thread_head(struct view *v)
{
	struct line *l = add(v, STYLE_HEAD);

	line_format(l, "      ID NAME            STATE     CPU%%     CPU   TIME %s%s",
		    is_wide(v) ? " STACK ON           " : "", "WAITS FOR");
	if (v->filter[0])
		line_format(l, " [%s]", v->filter);
}

/* What is known of one process beside the tables. */
static void add_details(struct view *v, struct top_process *p)
{
	static const struct { enum counter which; const char *name; } causes[] = {
		{ C_ADDED, "added" }, { C_BLOCKED, "blocked" },
		{ C_UNBLOCKED, "unblocked" }, { C_PREEMPTED, "preempted" },
	};
	struct line *l = add(v, STYLE_TITLE);

	line_format(l, "%d %s: ", (int)p->pid, p->target.command);
	if (p->has_threads) {
		line_format(l, "%zu threads:", p->snapshot.nthreads);
		for (int i = 0; i < LOOK_STATES; i++)
			if (p->states[i])
				line_format(l, " %zu %s", p->states[i], look_state_names[i]);
		if (p->io_waiters)
			line_format(l, " (%zu in I/O)", p->io_waiters);
	} else {
		line_format(l, "%" PRIu64 " threads", p->live);
	}
	l = add(v, STYLE_PLAIN);
	line_format(l, " upcalls/s (%s):", p->target.page.source);
	for (size_t i = 0; i < COUNT(causes); i++) {
		line_format(l, " %s ", causes[i].name);
		put_rate(l, p->rates[causes[i].which].per_s, 0);
	}
	line_text(l, "; threads/s ", 0);
	put_rate(l, p->rates[C_THREADS].per_s, 0);
	l = add(v, STYLE_PLAIN);
	line_text(l, " per second: parks ", 0);
	put_rate(l, p->rates[C_PARKS].per_s, 0);
	line_text(l, ", in I/O ", 0);
	put_rate(l, p->rates[C_IO_WAITS].per_s, 0);
	line_text(l, ", preemptions ", 0);
	put_rate(l, p->rates[C_PREEMPTIONS].per_s, 0);
	line_text(l, ", vprocs woken ", 0);
	put_rate(l, p->rates[C_WAKEUPS].per_s, 0);
}

/* Orders of threads: the most telling first. */
static struct view *sorting;
static struct top_process *sorted;

static int numbers(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int order_cpu(const struct top_thread *a, const struct top_thread *b)
{
	return numbers(a->cpu, b->cpu);
}

static int order_total(const struct top_thread *a, const struct top_thread *b)
{
	return numbers((double)thread_cpu_ns(&sorted->snapshot, a->t), (double)thread_cpu_ns(&sorted->snapshot, b->t));
}

static int order_time(const struct top_thread *a, const struct top_thread *b)
{
	return numbers((double)(thread_for_ns(&sorted->snapshot, a->t) + 1),
		       (double)(thread_for_ns(&sorted->snapshot, b->t) + 1));
}

static int order_stack(const struct top_thread *a, const struct top_thread *b)
{
	return numbers((double)(stack_used(a->t) + 1), (double)(stack_used(b->t) + 1));
}

static int order_id(const struct top_thread *a, const struct top_thread *b)
{
	return numbers(b->t->id, a->t->id);
}

static int order_name(const struct top_thread *a, const struct top_thread *b)
{
	return strcmp(a->t->name, b->t->name);
}

static int order_state(const struct top_thread *a, const struct top_thread *b)
{
	return numbers(b->t->state, a->t->state);
}

static const struct order {
	const char *name;
	int key;
	int (*compare)(const struct top_thread *a, const struct top_thread *b);
} orders[] = {
	{ "cpu", 'c', order_cpu },	{ "total", 't', order_total }, { "time", 'w', order_time },
	{ "stack", 'z', order_stack },	{ "id", 'i', order_id },       { "name", 'n', order_name },
	{ "state", 's', order_state },
};

int view_find_order(const char *name)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		if (!strcmp(orders[i].name, name))
			return (int)i;
	return -1;
}

int view_find_order_key(int key)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		if (orders[i].key == key)
			return (int)i;
	return -1;
}

static int by_order(const void *a, const void *b)
{
	const struct top_thread *x = *(struct top_thread *const *)a, *y = *(struct top_thread *const *)b;
	int c = orders[sorting->order].compare(x, y);

	if (!c)
		c = x->t->id < y->t->id ? -1 : x->t->id > y->t->id;
	return sorting->is_reversed ? -c : c;
}

static bool is_wanted(const struct view *v, struct top_process *p, const struct look_thread *t)
{
	if (!v->filter[0])
		return true;
	const char *kind = t->wait_key ? target_name_of(&p->target, "wait.", t->wait_kind) : NULL;

	return strstr(thread_label(&p->snapshot, t), v->filter) ||
	       !strcmp(look_state_names[t->state], v->filter) || (kind && !strcmp(kind, v->filter));
}

/* Into its place among the best so far: few of many threads get that far. */
static size_t insert(struct top_thread **best, size_t n, size_t most, struct top_thread *one)
{
	size_t low = 0, high = n;

	if (n == most && by_order(&one, &best[n - 1]) >= 0)
		return n;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (by_order(&one, &best[mid]) < 0)
			high = mid;
		else
			low = mid + 1;
	}
	if (n < most)
		n++;
	memmove(best + low + 1, best + low, (n - low - 1) * sizeof(*best));
	best[low] = one;
	return n;
}

size_t view_threads(struct view *v, struct top_process *p, size_t most, struct top_thread ***ret)
{
	size_t all = p->has_threads ? p->snapshot.nthreads : 0, n = 0, wanted = 0;
	bool in_place = most <= INSERT_MOST;
	struct top_thread **best = malloc(((in_place ? most : all) + 1) * sizeof(*best));

	if (!best)
		die(1, "out of memory");
	sorting = v;
	sorted = p;
	for (size_t i = 0; i < all; i++) {
		if (!is_wanted(v, p, p->threads[i].t))
			continue;
		wanted++;
		if (in_place && most)
			n = insert(best, n, most, &p->threads[i]);
		else if (!in_place)
			best[n++] = &p->threads[i];
	}
	if (!in_place)
		qsort(best, n, sizeof(*best), by_order);
	v->rows[PANE_THREADS] = wanted;
	*ret = best;
	return n < most ? n : most;
}

/* The first of `shown` rows, so that the cursor is among them. */
static size_t first_row(size_t *cursor, size_t rows, size_t shown)
{
	if (rows && *cursor >= rows)
		*cursor = rows - 1;
	return *cursor < shown ? 0 : *cursor - shown + 1;
}

static void add_threads(struct view *v, struct top_process *p, size_t shown, bool has_cursor)
{
	size_t *cursor = &v->cursor[PANE_THREADS], none = 0;
	struct top_thread **rows;
	size_t n = view_threads(v, p, has_cursor ? *cursor + shown : shown, &rows);
	size_t first = first_row(has_cursor ? cursor : &none, n, shown);

	add_thread_head(v);
	for (size_t i = first; i < n && i < first + shown; i++) {
		bool is_here = has_cursor && i == *cursor;

		add_thread(v, p, rows[i], is_here);
		if (is_here)
			v->thread = rows[i]->t->id;
	}
	free(rows);
}

static void add_vprocs(struct view *v, struct top_process *p, size_t shown)
{
	size_t *cursor = &v->cursor[PANE_VPROCS], none = 0;
	bool has_cursor = v->pane == PANE_VPROCS && v->height;
	size_t first = first_row(has_cursor ? cursor : &none, p->nvprocs, shown);

	line_format(add(v, STYLE_HEAD), "%.*s", is_wide(v) ? -1 : VPROC_NARROW_WIDTH, vproc_head);
	for (size_t i = first; i < p->nvprocs && i < first + shown; i++)
		add_vproc(v, p, &p->vprocs[i], has_cursor && i == *cursor);
}

void view_title(struct view *v, const struct top *top)
{
	struct line *l = add(v, STYLE_TITLE);
	time_t now = time(NULL);
	struct tm tm;
	uint64_t threads = 0;

	localtime_r(&now, &tm);
	for (size_t i = 0; i < top->n; i++)
		threads += top->processes[i]->live;
	line_format(l, "upcall top %02d:%02d:%02d  %zu process%s, %" PRIu64 " threads", tm.tm_hour, tm.tm_min,
		    tm.tm_sec, top->n, top->n == 1 ? "" : "es", threads);
	if (top->nclosed)
		line_format(l, ", %zu not shown", top->nclosed);
	line_format(l, "  every %gs by %s%s", v->delay, v->is_reversed ? "-" : "", orders[v->order].name);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many rows each pane has: the others a few, the one with the keys what is left, as far as it needs it. */
static void divide(const struct view *v, size_t room, size_t *rows)
{
	static const size_t small[PANES] = { SMALL_PROCESSES, SMALL_VPROCS, SMALL_THREADS };
	static const enum pane then[] = { PANE_THREADS, PANE_PROCESSES, PANE_VPROCS };

	for (int i = 0; i < PANES; i++) {
		rows[i] = (enum pane)i == v->pane ? 0 : least(least(v->rows[i], small[i]), room);
		room -= rows[i];
	}
	rows[v->pane] = least(v->rows[v->pane], room);
	room -= rows[v->pane];
	for (size_t i = 0; i < COUNT(then); i++) {
		size_t more = least(v->rows[then[i]] - rows[then[i]], room);

		rows[then[i]] += more;
		room -= more;
	}
}

void view_screen(struct view *v, struct top *top)
{
	enum { LINES_AROUND = 8 };	/* title, three heads, three lines of details, the keys */
	struct top_process *p = top_process(top, v->pid);
	size_t rows[PANES], room = v->height > LINES_AROUND ? (size_t)v->height - LINES_AROUND : 0;
	size_t *cursor = &v->cursor[PANE_PROCESSES];

	v->rows[PANE_PROCESSES] = top->n;
	v->rows[PANE_VPROCS] = p ? p->nvprocs : 0;
	v->rows[PANE_THREADS] = p && p->has_threads ? p->snapshot.nthreads : 0;
	divide(v, room, rows);
	view_title(v, top);
	add_process_head(v);
	size_t first = first_row(cursor, top->n, rows[PANE_PROCESSES]);

	for (size_t i = first; i < top->n && i < first + rows[PANE_PROCESSES]; i++)
		add_process(v, top->processes[i], top->processes[i]->pid == v->pid,
			    v->pane == PANE_PROCESSES && i == *cursor);
	if (!p) {
		line_text(add(v, STYLE_PLAIN), "", 0);
		line_text(add(v, STYLE_PLAIN), top->nclosed ? top->problem : "No process is run by upcall.", 0);
		return;
	}
	add_details(v, p);
	add_vprocs(v, p, rows[PANE_VPROCS]);
	add_threads(v, p, rows[PANE_THREADS], v->pane == PANE_THREADS);
}

void view_batch(struct view *v, struct top *top)
{
	view_title(v, top);
	add_process_head(v);
	for (size_t i = 0; i < top->n; i++)
		add_process(v, top->processes[i], false, false);
	for (size_t i = 0; i < top->n; i++) {
		line_text(add(v, STYLE_PLAIN), "", 0);
		wait_prepare(&top->processes[i]->snapshot);	/* it was the last one's that was looked at */
		add_details(v, top->processes[i]);
		add_vprocs(v, top->processes[i], top->processes[i]->nvprocs);
		add_threads(v, top->processes[i], (size_t)v->thread_rows, false);
	}
}

static void add_frames(struct view *v, struct target *t, struct snapshot *s, const struct look_thread *thread)
{
	static struct frames frames;

	line_format(add(v, STYLE_TITLE), "thread %u %s (%s)", thread->id, thread_label(s, thread),
		    look_state_names[thread->state]);
	if (!unwind_begin(s)) {
		line_text(add(v, STYLE_PLAIN), t->problem, 0);
		return;
	}
	unwind_thread(s, thread, &frames);
	for (size_t i = 0; i < frames.n; i++)
		describe_frame(add(v, STYLE_PLAIN), t, &frames, i);
	if (frames.problem[0])
		line_format(add(v, STYLE_PLAIN), "(ends here: %s)", frames.problem);
}

void view_stack(struct view *v, pid_t pid, uint32_t thread)
{
	struct target t;
	struct snapshot s;

	/* Opened anew: the program may have loaded libraries since. */
	if (target_open_pid(&t, pid) && snapshot_take(&s, &t)) {
		const struct look_thread *found = snapshot_by_id(&s, thread);

		if (found)
			add_frames(v, &t, &s, found);
		else
			line_format(add(v, STYLE_PLAIN), "thread %u has ended", thread);
		snapshot_free(&s);
	} else {
		line_format(add(v, STYLE_PLAIN), "process %d: %s", (int)pid, t.problem);
	}
	target_close(&t);
}

void view_help(struct view *v)
{
	static const char *const text[] = {
		"Up, Down, PgUp, PgDn, Home, End   move in a list",
		"Tab           go to the next list: processes, vprocs, threads",
		"Enter         of a process: its threads; of a thread: its call stack",
		"/             show only threads with this in their name, state or kind of wait",
		"c t w z i n s order threads by CPU share, CPU time, time waited, stack,",
		"              id, name, state",
		"r             reverse the order",
		"+ -           look less, or more, often",
		"Space         stop and go on;  any other key looks again",
		"q             quit",
		"",
		"READY, QUEUE  ready threads that wait for a vproc",
		"RUN BLK SPARE kernel threads that run a vproc, are blocked, wait for a vproc",
		"BUSY%         CPU time of a vproc's kernel threads",
		"SWITCH PARK   changes of the running thread; those because it began to wait",
		"IO STEAL      waits for a descriptor; threads taken from another vproc's queue",
		"PREEM WAKE    ends of time slices; wake-ups of a vproc that slept",
		"BLOCK         kernel threads that blocked, so that another took over the vproc",
	};

	line_text(add(v, STYLE_TITLE), "upcall top: keys and columns", 0);
	for (size_t i = 0; i < COUNT(text); i++)
		line_text(add(v, STYLE_PLAIN), text[i], 0);
}

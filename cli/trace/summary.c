// SPDX-License-Identifier: BSD-2-Clause
/* What a trace comes to: latencies, time by state, the locks most waited for, the longest calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../look/look.h"
#include "../look/text.h"
#include "model.h"

enum { ROWS = 10, PEOPLE = 3 };

/* Who had how much of something. */
struct share {
	uint32_t thread, n;
	uint64_t ns;
};

struct shares {
	struct share *all;
	size_t n, room;
	uint32_t *index;		/* hash, once they are many: number in `all` + 1 */
	size_t index_size;
};

/* All waits for one thing, or all calls of one name. */
struct group {
	uint64_t object;
	const char *what, *symbol;
	uint64_t n, total_ns, max_ns;
	uint32_t max_thread;
	struct shares waiters, wakers;
};

struct groups {
	struct group *all;
	size_t n, room;
	uint32_t *index;		/* hash: number in `all` + 1 */
	size_t index_size;
};

static void *must(void *memory)
{
	if (!memory)
		die(1, "out of memory");
	return memory;
}

/* Where the index has it, or would have it. */
static uint32_t *share_slot(const struct shares *s, uint32_t thread)
{
	size_t h = thread * 2654435761u & (s->index_size - 1);

	while (s->index[h] && s->all[s->index[h] - 1].thread != thread)
		h = (h + 1) & (s->index_size - 1);
	return &s->index[h];
}

static struct share *share_of(const struct shares *s, uint32_t thread)
{
	if (s->index_size) {
		uint32_t at = *share_slot(s, thread);

		return at ? &s->all[at - 1] : NULL;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->all[i].thread == thread)
			return &s->all[i];
	return NULL;
}

static void index_shares(struct shares *s)
{
	free(s->index);
	s->index_size = 4 * s->room;
	s->index = must(calloc(s->index_size, sizeof(*s->index)));
	for (size_t i = 0; i < s->n; i++)
		*share_slot(s, s->all[i].thread) = (uint32_t)i + 1;
}

static void share_add(struct shares *s, uint32_t thread, uint64_t ns)
{
	enum { FEW = 16 };
	struct share *one = share_of(s, thread);

	if (one) {
		one->n++;
		one->ns += ns;
		return;
	}
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->all = must(realloc(s->all, s->room * sizeof(*s->all)));
		if (s->room > FEW)
			index_shares(s);
	}
	s->all[s->n++] = (struct share){ thread, 1, ns };
	if (s->index_size)
		*share_slot(s, thread) = (uint32_t)s->n;
}

static size_t group_hash(uint64_t object, const char *what, const char *symbol)
{
	return (size_t)((object ^ (uintptr_t)what * 31 ^ (object ? 0 : (uintptr_t)symbol)) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static void index_groups(struct groups *g)
{
	g->index_size = g->index_size ? 2 * g->index_size : 1024;
	free(g->index);
	g->index = must(calloc(g->index_size, sizeof(*g->index)));
	for (size_t i = 0; i < g->n; i++) {
		size_t h = group_hash(g->all[i].object, g->all[i].what, g->all[i].symbol) & (g->index_size - 1);

		while (g->index[h])
			h = (h + 1) & (g->index_size - 1);
		g->index[h] = (uint32_t)i + 1;
	}
}

static struct group *group_of(struct groups *g, uint64_t object, const char *what, const char *symbol)
{
	if (2 * g->n >= g->index_size)
		index_groups(g);
	size_t h = group_hash(object, what, symbol) & (g->index_size - 1);

	for (; g->index[h]; h = (h + 1) & (g->index_size - 1)) {
		struct group *one = &g->all[g->index[h] - 1];

		if (one->object == object && one->what == what && (object || one->symbol == symbol))
			return one;
	}
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 256;
		g->all = must(realloc(g->all, g->room * sizeof(*g->all)));
	}
	g->all[g->n++] = (struct group){ .object = object, .what = what, .symbol = symbol };
	g->index[h] = (uint32_t)g->n;
	return &g->all[g->n - 1];
}

static struct group *group_add(struct groups *g, const struct span *s)
{
	struct group *one = group_of(g, s->object, s->what, s->symbol);
	uint64_t ns = s->end_ns - s->begin_ns;

	one->n++;
	one->total_ns += ns;
	if (ns >= one->max_ns) {
		one->max_ns = ns;
		one->max_thread = s->thread;
	}
	return one;
}

static int most_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns;
}

static int longest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->max_ns > y->max_ns ? -1 : x->max_ns < y->max_ns;
}

static int share_first(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->n > y->n ? -1 : x->n < y->n;
}

static struct {
	const struct trace *t;
	uint64_t *latencies;			/* ready spans, sorted */
	size_t nlatencies;
	uint64_t states[SPAN_STATES];		/* all threads together */
	uint64_t kinds_n;
	struct groups kinds, locks, calls, reasons, ends;
	struct { const char *cause; uint64_t ns; } idle[4];
	uint64_t *busy;				/* by vproc */
	uint64_t *idle_by_vproc;		/* [vproc * 4 + cause] */
} sum;

static bool is_lock(const char *kind)
{
	static const char *const kinds[] = { "mutex", "rwlock", "sem", "cond", "barrier", "once", "futex" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	return false;
}

static int cause_index(const char *cause)
{
	return !strcmp(cause, IDLE_LOOKING) ? 0 : !strcmp(cause, IDLE_ASLEEP) ? 1 : !strcmp(cause, IDLE_POLLING) ? 2 : 3;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What each thread parked on last, so that its next wake can be counted there. */
struct last_wait {
	uint32_t thread;
	uint32_t group;			/* in sum.locks, + 1 */
};

static struct last_wait *last_of(struct last_wait *all, size_t size, uint32_t thread)
{
	size_t h = thread * 2654435761u & (size - 1);

	while (all[h].thread && all[h].thread != thread)
		h = (h + 1) & (size - 1);
	all[h].thread = thread;
	return &all[h];
}

static void add_parked(const struct span *s, struct last_wait *last)
{
	struct span by_kind = *s;

	by_kind.object = 0;
	by_kind.symbol = "";
	group_add(&sum.kinds, &by_kind);
	last->group = 0;
	if (!is_lock(s->what) || !s->object)
		return;
	struct group *lock = group_add(&sum.locks, s);

	share_add(&lock->waiters, s->thread, s->end_ns - s->begin_ns);
	last->group = (uint32_t)(lock - sum.locks.all) + 1;
}

static void collect(const struct trace *t)
{
	size_t size = 1024;

	while (size < 2 * t->nspans)	/* each thread has one at least */
		size *= 2;
	struct last_wait *waits = must(calloc(size, sizeof(*waits)));

	memset(&sum, 0, sizeof(sum));
	sum.t = t;
	sum.latencies = must(malloc((t->nspans + 1) * sizeof(*sum.latencies)));
	sum.busy = must(calloc(t->nvprocs + 1, sizeof(*sum.busy)));
	sum.idle_by_vproc = must(calloc(4 * (size_t)t->nvprocs + 4, sizeof(*sum.idle_by_vproc)));
	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];
		struct last_wait *last = s->thread ? last_of(waits, size, s->thread) : NULL;
		uint64_t ns = s->end_ns - s->begin_ns;

		sum.states[s->state] += ns;
		if (s->vproc >= 0 && (unsigned)s->vproc < t->nvprocs) {
			if (s->thread)
				sum.busy[s->vproc] += ns;
			else
				sum.idle_by_vproc[4 * s->vproc + cause_index(s->what)] += ns;
		}
		switch ((enum span_state)s->state) {
		case SPAN_READY:
			/* One that was ready before we came has been so for longer. */
			if (!strcmp(s->what, "before"))
				break;
			sum.latencies[sum.nlatencies++] = ns;
			group_add(&sum.reasons, s);
			if (last->group && s->by && !strcmp(s->what, "woken"))
				share_add(&sum.locks.all[last->group - 1].wakers, s->by, 0);
			last->group = 0;
			break;
		case SPAN_PARKED: add_parked(s, last); break;
		case SPAN_KERNEL: group_add(&sum.calls, s); break;
		case SPAN_RUNNING:
			if (*s->what)
				group_add(&sum.ends, s);
			break;
		case SPAN_IDLE:
		case SPAN_STATES:
			break;
		}
	}
	free(waits);
	qsort(sum.latencies, sum.nlatencies, sizeof(*sum.latencies), by_value);
	struct groups *sorted[] = { &sum.kinds, &sum.locks, &sum.calls, &sum.reasons, &sum.ends };

	for (size_t i = 0; i < 5; i++)
		if (sorted[i]->n)
			qsort(sorted[i]->all, sorted[i]->n, sizeof(struct group),
			      sorted[i] == &sum.calls ? longest_first : most_first);
}

static uint64_t percentile(double share)
{
	if (!sum.nlatencies)
		return 0;
	size_t at = (size_t)(share * (double)sum.nlatencies);

	return sum.latencies[at < sum.nlatencies ? at : sum.nlatencies - 1];
}

/* Finer than time_text, which is for people who look at waits of seconds. */
static const char *duration(uint64_t ns)
{
	static char texts[8][24];
	static unsigned at;
	char *text = texts[at++ % 8];

	if (ns < 1000)
		snprintf(text, 24, "%uns", (unsigned)ns);
	else if (ns < 1000000)
		snprintf(text, 24, "%.*fus", ns < 100000 ? 1 : 0, (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(text, 24, "%.*fms", ns < 100000000 ? 1 : 0, (double)ns / 1e6);
	else
		snprintf(text, 24, "%.2fs", (double)ns / 1e9);
	return text;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(100.0 * (double)part / (double)whole + 0.5) : 0;
}

/* "writer (12) 61%, reader (3) 20%" */
static void put_people(struct shares *s, bool by_time)
{
	uint64_t whole = 0;

	for (size_t i = 0; i < s->n; i++)
		whole += by_time ? s->all[i].ns : s->all[i].n;
	if (s->n)
		qsort(s->all, s->n, sizeof(*s->all), share_first);
	for (size_t i = 0; i < s->n && i < PEOPLE; i++) {
		const struct share *one = &s->all[i];

		printf("%s%s (%" PRIu32 ") %u%%", i ? ", " : "", printable(trace_label(sum.t, one->thread)), one->thread,
		       percent(by_time ? one->ns : one->n, whole));
	}
	if (s->n > PEOPLE)
		printf(", %zu more", s->n - PEOPLE);
}

static void put_latencies(void)
{
	printf("\nFrom ready to running, %zu times\n", sum.nlatencies);
	printf("  median %s, 90%% %s, 99%% %s, 99.9%% %s, longest %s\n", duration(percentile(0.5)),
	       duration(percentile(0.9)), duration(percentile(0.99)), duration(percentile(0.999)),
	       duration(sum.nlatencies ? sum.latencies[sum.nlatencies - 1] : 0));
	for (size_t i = 0; i < sum.reasons.n; i++) {
		const struct group *g = &sum.reasons.all[i];

		printf("  %-10s %10" PRIu64 " times, mean %s, longest %s\n", printable(g->what), g->n,
		       duration(g->total_ns / g->n), duration(g->max_ns));
	}
}

static void put_vprocs(const struct trace *t)
{
	puts("\nVprocs           running    looking     asleep    polling  in a call");
	for (unsigned i = 0; i < t->nvprocs; i++) {
		printf("  %-12u %9u%%", i, percent(sum.busy[i], t->length_ns));
		for (unsigned k = 0; k < 4; k++)
			printf(" %9u%%", percent(sum.idle_by_vproc[4 * i + k], t->length_ns));
		putchar('\n');
	}
}

static void put_states(void)
{
	uint64_t whole = 0;

	for (int i = 0; i < SPAN_IDLE; i++)
		whole += sum.states[i];
	puts("\nThreads, all together");
	for (int i = 0; i < SPAN_IDLE; i++)
		printf("  %-10s %10s %4u%%\n", span_state_names[i], duration(sum.states[i]), percent(sum.states[i], whole));
	for (size_t i = 0; i < sum.kinds.n; i++)
		printf("    on %-8s %9s %4u%%  %" PRIu64 " times\n", printable(sum.kinds.all[i].what),
		       duration(sum.kinds.all[i].total_ns), percent(sum.kinds.all[i].total_ns, whole), sum.kinds.all[i].n);
	if (sum.ends.n)
		puts("  stopped running");
	for (size_t i = 0; i < sum.ends.n; i++)
		printf("    %-10s %8" PRIu64 " times, after %s on average\n", printable(sum.ends.all[i].what),
		       sum.ends.all[i].n, duration(sum.ends.all[i].total_ns / sum.ends.all[i].n));
}

static void put_locks(void)
{
	if (!sum.locks.n)
		return;
	puts("\nMost waited for                 waits     total      mean   longest");
	for (size_t i = 0; i < sum.locks.n && i < ROWS; i++) {
		struct group *g = &sum.locks.all[i];

		char name[200];

		if (*g->symbol)
			snprintf(name, sizeof(name), "%s %s", g->what, g->symbol);
		else
			snprintf(name, sizeof(name), "%s 0x%" PRIx64, g->what, g->object);
		printf("  %-26s %8" PRIu64 " %9s %9s %9s\n", printable(name), g->n, duration(g->total_ns),
		       duration(g->total_ns / g->n), duration(g->max_ns));
		fputs("      waited:   ", stdout);
		put_people(&g->waiters, true);
		if (g->wakers.n) {
			fputs("\n      woken by: ", stdout);
			put_people(&g->wakers, false);
		}
		putchar('\n');
	}
	if (sum.locks.n > ROWS)
		printf("  and %zu more\n", sum.locks.n - ROWS);
}

static void put_calls(void)
{
	if (!sum.calls.n)
		return;
	puts("\nBlocked in the kernel  times    longest       mean      total  the longest by");
	for (size_t i = 0; i < sum.calls.n && i < ROWS; i++) {
		const struct group *g = &sum.calls.all[i];

		printf("  %-18s %8" PRIu64 " %10s %10s %10s  %s (%" PRIu32 ")\n",
		       *g->what ? printable(g->what) : "(too short to see)", g->n, duration(g->max_ns),
		       duration(g->total_ns / g->n), duration(g->total_ns), printable(trace_label(sum.t, g->max_thread)),
		       g->max_thread);
	}
}

static void put_moments(const struct trace *t)
{
	static const char *const names[] = { "added", "blocked", "unblocked", "preempted", "steal", "poll" };
	uint64_t counts[6] = { 0 };

	for (size_t i = 0; i < t->nmoments; i++)
		for (int k = 0; k < 6; k++)
			counts[k] += !strcmp(t->moments[i].what, names[k]);
	printf("\nUpcalls: %" PRIu64 " added, %" PRIu64 " blocked, %" PRIu64 " unblocked, %" PRIu64 " preempted."
	       "  %" PRIu64 " steals, %" PRIu64 " looks at descriptors that woke somebody.\n",
	       counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
}

static void print(const struct trace *t)
{
	printf("%s (%d): %s, %u vprocs, %zu threads, %" PRIu64 " events", printable(t->command), t->pid,
	       duration(t->length_ns), t->nvprocs, t->nthreads, t->events);
	if (t->lost)
		printf("; %" PRIu64 " more are LOST", t->lost);
	putchar('\n');
	put_vprocs(t);
	put_latencies();
	put_states();
	put_locks();
	put_calls();
	put_moments(t);
}

static void json_people(const char *key, struct shares *s)
{
	json_key(key, false);
	putchar('[');
	if (s->n)
		qsort(s->all, s->n, sizeof(*s->all), share_first);
	for (size_t i = 0; i < s->n; i++) {
		printf("%s{\"thread\": %" PRIu32, i ? ", " : "", s->all[i].thread);
		json_text("name", trace_label(sum.t, s->all[i].thread));
		json_number("times", s->all[i].n);
		json_number("ns", s->all[i].ns);
		putchar('}');
	}
	putchar(']');
}

static void json_group(struct group *g, bool first, bool with_people)
{
	printf("%s\n    {\"what\": ", first ? "" : ",");
	json_string(g->what);
	if (g->object)
		json_address("object", g->object);
	if (*g->symbol)
		json_text("symbol", g->symbol);
	json_number("times", g->n);
	json_number("total_ns", g->total_ns);
	json_number("longest_ns", g->max_ns);
	json_number("longest_by", g->max_thread);
	if (with_people) {
		json_people("waiters", &g->waiters);
		json_people("woken_by", &g->wakers);
	}
	putchar('}');
}

static void json_groups(const char *key, struct groups *g, bool with_people)
{
	printf(",\n  \"%s\": [", key);
	for (size_t i = 0; i < g->n; i++)
		json_group(&g->all[i], !i, with_people);
	printf("]");
}

static void print_json(const struct trace *t)
{
	static const char *const causes[4] = { "looking_ns", "asleep_ns", "polling_ns", "in_a_call_ns" };

	fputs("{\"command\": ", stdout);
	json_string(t->command);
	json_number("pid", (uint64_t)t->pid);
	json_number("length_ns", t->length_ns);
	json_number("threads", t->nthreads);
	json_number("events", t->events);
	json_number("lost", t->lost);
	fputs(",\n  \"vprocs\": [", stdout);
	for (unsigned i = 0; i < t->nvprocs; i++) {
		printf("%s{\"vproc\": %u", i ? ", " : "", i);
		json_number("running_ns", sum.busy[i]);
		for (int k = 0; k < 4; k++)
			json_number(causes[k], sum.idle_by_vproc[4 * i + (unsigned)k]);
		putchar('}');
	}
	fputs("],\n  \"latency\": {\"times\": ", stdout);
	printf("%zu", sum.nlatencies);
	json_number("p50_ns", percentile(0.5));
	json_number("p90_ns", percentile(0.9));
	json_number("p99_ns", percentile(0.99));
	json_number("p999_ns", percentile(0.999));
	json_number("longest_ns", sum.nlatencies ? sum.latencies[sum.nlatencies - 1] : 0);
	fputs("},\n  \"states\": {\"running_ns\": ", stdout);
	printf("%" PRIu64, sum.states[SPAN_RUNNING]);
	json_number("ready_ns", sum.states[SPAN_READY]);
	json_number("parked_ns", sum.states[SPAN_PARKED]);
	json_number("kernel_ns", sum.states[SPAN_KERNEL]);
	putchar('}');
	json_groups("ready", &sum.reasons, false);
	json_groups("parked", &sum.kinds, false);
	json_groups("stopped", &sum.ends, false);
	json_groups("locks", &sum.locks, true);
	json_groups("calls", &sum.calls, false);
	puts("\n}");
}

static void free_groups(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->all[i].waiters.all);
		free(g->all[i].waiters.index);
		free(g->all[i].wakers.all);
		free(g->all[i].wakers.index);
	}
	free(g->all);
	free(g->index);
}

void trace_summarise(const struct trace *t, bool as_json)
{
	collect(t);
	if (as_json)
		print_json(t);
	else
		print(t);
	free(sum.latencies);
	free(sum.busy);
	free(sum.idle_by_vproc);
	free_groups(&sum.kinds);
	free_groups(&sum.locks);
	free_groups(&sum.calls);
	free_groups(&sum.reasons);
	free_groups(&sum.ends);
}

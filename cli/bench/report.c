// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../look/text.h"

#define FAIR_SHARE 0.25		/* of the mean: who gets less is not treated fairly */

const char *system_names[SYSTEMS] = {
	[PROCESS] = "process", [HAND_OFF] = "hand-off", [GLIBC] = "glibc", [EPOLL] = "epoll", [POOL] = "pool",
	[UPCALL_NONE] = "upcall-none",	/* user-level threads that the kernel tells nothing */
	[UPCALL] = "upcall",
	/* With one source of events, whatever is the best here. */
	[UPCALL_MONITOR] = "upcall-monitor", [UPCALL_PERF] = "upcall-perf", [UPCALL_BPF] = "upcall-bpf",
	[UPCALL_SCHED_EXT] = "upcall-sched_ext",
	[NATIVE] = "native",
	[UPCALL_SCX] = "sched_ext",	/* kernel threads that upcalld's scheduler gives turns */
};

/* Of a paper: figures of other machines, so no ratio is made of them. */
struct paper {
	struct paper *next;
	double value;
	char whose[NAME_MAX_BYTES];
};

struct bound {
	struct bound *next;
	struct bar bar;
};

/* values[run] is NAN where the run gave none. */
struct series {
	struct series *next;
	const char *bench;
	char of_case[CASE_MAX_BYTES];
	char name[NAME_MAX_BYTES], unit[UNIT_MAX_BYTES];	/* name: of the case and the metric */
	enum system system;
	struct paper *papers;
	struct bound *bounds;
	unsigned nruns;
	double values[];
};

struct remark {
	struct remark *next;
	const char *bench, *system;	/* system: one of system_names, or NULL for all */
	char of_case[CASE_MAX_BYTES], text[NOTE_MAX_BYTES + 2 * NAME_MAX_BYTES];
};

/* deviation: of the runs, from their mean, as a share of it; NAN where there are not two. */
struct summary {
	double median, min, max, deviation;
	unsigned runs;
};

static struct series *all;
static struct remark *remarks;

static void *zalloc(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		die(1, "out of memory");
	return p;
}

/* Figures of different units are no more comparable than those of different cases. */
static bool is_of_case(const struct series *s, const char *bench, const char *name, const char *unit)
{
	return !strcmp(s->bench, bench) && !strcmp(s->name, name) && !strcmp(s->unit, unit);
}

static struct series *find(const char *bench, const char *name, enum system system, const char *unit)
{
	for (struct series *s = all; s; s = s->next)
		if (s->system == system && is_of_case(s, bench, name, unit))
			return s;
	return NULL;
}

/* Behind those of its case and of systems above its own, else at the end. */
static void insert(struct series *s)
{
	struct series **at = &all, **behind = NULL;

	for (; *at; at = &(*at)->next) {
		bool is_same = is_of_case(*at, s->bench, s->name, s->unit);

		if (is_same && (*at)->system > s->system) {
			behind = at;
			break;
		}
		if (is_same)
			behind = &(*at)->next;
	}
	at = behind ? behind : at;
	s->next = *at;
	*at = s;
}

struct series *report_series(const char *bench, const char *of_case, const char *metric, enum system system,
			     const char *unit, unsigned nruns)
{
	bool is_only = !strcmp(metric, "-");
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%s%s%s", of_case, is_only ? "" : " ", is_only ? "" : metric);
	struct series *s = find(bench, name, system, unit);

	if (s)
		return s;
	s = zalloc(sizeof(*s) + nruns * sizeof(s->values[0]));
	s->bench = bench;
	snprintf(s->of_case, sizeof(s->of_case), "%s", of_case);
	strcpy(s->name, name);
	snprintf(s->unit, sizeof(s->unit), "%s", unit);
	s->system = system;
	s->nruns = nruns;
	for (unsigned i = 0; i < nruns; i++)
		s->values[i] = NAN;
	insert(s);
	return s;
}

void report_add(struct series *s, unsigned run, double value)
{
	if (run < s->nruns)
		s->values[run] = value;
}

void report_paper(struct series *s, double value, const char *whose)
{
	struct paper **at = &s->papers;

	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->whose, whose))
			return;
	*at = zalloc(sizeof(**at));
	(*at)->value = value;
	snprintf((*at)->whose, sizeof((*at)->whose), "%s", whose);
}

void report_bound(struct series *s, const struct bar *bar)
{
	struct bound **at = &s->bounds;

	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->bar.of, bar->of) && (*at)->bar.is_least == bar->is_least && (*at)->bar.kind == bar->kind)
			return;
	*at = zalloc(sizeof(**at));
	(*at)->bar = *bar;
}

static bool is_about(const struct remark *r, const char *bench, const char *of_case, const char *system)
{
	return !strcmp(r->bench, bench) && !strcmp(r->of_case, of_case) && r->system == system;
}

void report_note(const char *bench, const char *of_case, const char *system, const char *text)
{
	struct remark *r = zalloc(sizeof(*r)), **at = &remarks;

	r->bench = bench;
	r->system = system;
	snprintf(r->of_case, sizeof(r->of_case), "%s", of_case);
	snprintf(r->text, sizeof(r->text), "%s", text);
	for (; *at; at = &(*at)->next) {
		if (is_about(*at, bench, r->of_case, system) && !strcmp((*at)->text, r->text)) {
			free(r);
			return;
		}
	}
	*at = r;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts; the middle one, or the mean of the two in the middle. */
static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), by_value);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* The standard deviation of a sample, divided by the mean. */
static double deviation(const double *values, unsigned n)
{
	double sum = 0, sum2 = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	double mean = sum / n;

	for (unsigned i = 0; i < n; i++)
		sum2 += (values[i] - mean) * (values[i] - mean);
	return n < 2 || mean == 0 ? NAN : sqrt(sum2 / (n - 1)) / fabs(mean);
}

static struct summary sum_up(const struct series *s)
{
	double *v = zalloc(s->nruns * sizeof(*v));
	struct summary r = { NAN, NAN, NAN, NAN, 0 };

	for (unsigned i = 0; i < s->nruns; i++)
		if (!isnan(s->values[i]))
			v[r.runs++] = s->values[i];
	if (r.runs) {
		r.median = median(v, r.runs);
		r.min = v[0];
		r.max = v[r.runs - 1];
		r.deviation = deviation(v, r.runs);
	}
	free(v);
	return r;
}

static double divide(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

static double subtract(double a, double b)
{
	return a - b;
}

/* The median of what comes of the runs side by side; NAN where there is none. */
static double compare(const struct series *s, const struct series *to, double (*with)(double, double))
{
	double *v = zalloc(s->nruns * sizeof(*v)), result = NAN;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nruns && i < to->nruns; i++)
		if (!isnan(v[n] = with(s->values[i], to->values[i])))
			n++;
	if (n)
		result = median(v, n);
	free(v);
	return result;
}

static double ratio(const struct series *s, const struct series *to)
{
	return compare(s, to, divide);
}

static bool is_meant(const struct bar *bar, enum system system)
{
	bool is_peer = system >= PEERS && system < PEERS + PEERS_MAX;

	return strcmp(bar->of, BEST_PEER) ? !strcmp(bar->of, system_names[system]) : is_peer;
}

/* What the bound is about, beside the best of the systems that are meant; NAN where none has such a figure. */
static double bounded(const struct series *s, const struct bar *bar)
{
	double is = NAN;

	if (bar->kind == OF_ITSELF)
		return sum_up(s).median;
	for (int i = 0; i < SYSTEMS; i++) {
		const struct series *of = find(s->bench, s->name, (enum system)i, s->unit);

		if (!of || of == s || !is_meant(bar, (enum system)i))
			continue;
		double r = compare(s, of, bar->kind == OF_RATIO ? divide : subtract);

		is = bar->is_least ? fmin(is, r) : fmax(is, r);		/* of one that is NAN, the other */
	}
	return is;
}

static bool is_held(const struct bar *bar, double is)
{
	return bar->is_least ? is >= bar->value : is <= bar->value;
}

/* A share, of the mean or in per cent, is a ratio already, and so is a multiple. */
static bool is_share(const struct series *s)
{
	return !strcmp(s->unit, "%") || !strcmp(s->unit, "of-mean") || !strcmp(s->unit, "x");
}

unsigned report_reversed(void)
{
	unsigned n = 0;

	for (const struct series *s = all; s; s = s->next) {
		double here = sum_up(s).median;

		if (strcmp(s->unit, "x") || !s->papers || s->papers->value < 1 || isnan(here) || here >= 1)
			continue;
		say("%s %s on %s is %.2g, less than 1; the paper has %.2g", s->bench, s->name,
		    system_names[s->system], here, s->papers->value);
		n++;
	}
	return n;
}

void report_unfair(const char *bench)
{
	char text[NOTE_MAX_BYTES];

	for (const struct series *s = all; s; s = s->next) {
		struct summary r = sum_up(s);
		unsigned n = 0;

		if (strcmp(s->bench, bench) || strcmp(s->unit, "of-mean"))
			continue;
		for (unsigned i = 0; i < s->nruns; i++)
			n += s->values[i] < FAIR_SHARE;		/* NAN is not */
		if (!n)
			continue;
		snprintf(text, sizeof(text), "unfair: in %u of %u runs a thread got less than %g of the mean, %.2g at the least",
			 n, r.runs, FAIR_SHARE, r.min);
		report_note(s->bench, s->of_case, system_names[s->system], text);
	}
}

/* Calls `put` for each system above this one that the case was measured on, in the same unit. */
static void each_ratio(const struct series *s,
		       void (*put)(const char *system, double ratio, bool is_first))
{
	bool is_first = true;

	for (int i = 0; i < (int)s->system && !is_share(s); i++) {
		const struct series *to = find(s->bench, s->name, (enum system)i, s->unit);
		double r = to ? ratio(s, to) : NAN;

		if (!isfinite(r))
			continue;
		put(system_names[i], r, is_first);
		is_first = false;
	}
}

/* Thousands apart, four digits or more; each text lasts for four more calls. */
static const char *number(double value)
{
	static char texts[5][40];
	static unsigned turn;
	char *out = texts[turn++ % 5], digits[32];

	if (fabs(value) < 1000) {
		int decimals = fabs(value) >= 100 ? 1 : fabs(value) >= 10 ? 2 : 3;

		snprintf(out, sizeof(texts[0]), "%.*f", decimals, value);
		return out;
	}
	int n = snprintf(digits, sizeof(digits), "%.0f", value), at = 0;

	for (int i = 0; i < n; i++) {
		out[at++] = digits[i];
		if ((n - i - 1) % 3 == 0 && i < n - 1 && digits[i] != '-')
			out[at++] = ',';
	}
	out[at] = 0;
	return out;
}

/* In per cent; each text lasts until the next call. */
static const char *percent(double share)
{
	static char text[32];

	snprintf(text, sizeof(text), "%.1f", 100 * share);
	return isnan(share) ? "-" : text;
}

static void put_ratio(const char *system, double r, bool is_first)
{
	printf("%s%.3g of %s", is_first ? "" : ", ", r, system);
}

/* Of as many digits as it needs: 0.005, 1.15, 4,300. */
static const char *short_number(double value)
{
	static char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	return fabs(value) < 1000 ? text : number(value);
}

static void put_papers(const struct series *s)
{
	for (const struct paper *p = s->papers; p; p = p->next)
		printf("%s%s (%s)", p == s->papers ? "; paper: " : ", ", number(p->value), p->whose);
}

static void put_bounds(const struct series *s)
{
	static const char *const relations[] = { [OF_ITSELF] = "", [OF_RATIO] = " of ", [OF_DIFFERENCE] = " above " };

	for (const struct bound *b = s->bounds; b; b = b->next) {
		const struct bar *bar = &b->bar;
		double is = bounded(s, bar);

		if (isnan(is))
			continue;
		printf("; at %s %s%s%s", bar->is_least ? "least" : "most", short_number(bar->value), relations[bar->kind],
		       strcmp(bar->of, BEST_PEER) ? bar->of : "the best peer");
		if (bar->kind == OF_DIFFERENCE)
			printf(" (is %s)", short_number(is));
		printf(": %s", is_held(bar, is) ? "held" : "missed");
	}
}

/* Whom figures were to be judged by, and who has none: each once. */
static void put_unjudged(const char *bench)
{
	const char *names[SYSTEMS];
	unsigned n = 0, i;

	for (const struct series *s = all; s; s = s->next) {
		for (const struct bound *b = s->bounds; b && !strcmp(s->bench, bench); b = b->next) {
			for (i = 0; i < n && strcmp(names[i], b->bar.of); i++)
				;
			if (i == n && n < SYSTEMS && isnan(bounded(s, &b->bar)) && sum_up(s).runs)
				names[n++] = b->bar.of;
		}
	}
	for (i = 0; i < n; i++)
		printf("%s%s%s", i ? ", " : "  (not judged, for want of figures of: ",
		       strcmp(names[i], BEST_PEER) ? names[i] : "other peers", i + 1 < n ? "" : ")\n");
}

void report_table(const char *bench, const char *summary)
{
	const struct series *last = NULL;

	printf("%s: %s\n", bench, summary);
	printf("%-32s %-9s %12s %12s %12s %5s %6s  %-15sratio\n", "  case", "system", "median",
	       "min", "max", "runs", "dev %", "unit");
	for (const struct series *s = all; s; s = s->next) {
		struct summary r = sum_up(s);

		if (strcmp(s->bench, bench) || !r.runs)
			continue;
		bool is_same = last && is_of_case(last, s->bench, s->name, s->unit);

		printf("  %-30s %-9s %12s %12s %12s %5u %6s  %-15s", is_same ? "" : s->name,
		       system_names[s->system], number(r.median), number(r.min), number(r.max),
		       r.runs, percent(r.deviation), s->unit);
		each_ratio(s, put_ratio);
		put_papers(s);
		put_bounds(s);
		putchar('\n');
		last = s;
	}
	for (const struct remark *r = remarks; r; r = r->next)
		if (!strcmp(r->bench, bench))
			printf("  (%s%s%s: %s)\n", r->of_case, r->system ? " on " : "", r->system ? r->system : "", r->text);
	put_unjudged(bench);
	putchar('\n');
}

static void put_json_ratio(const char *system, double r, bool is_first)
{
	fputs(is_first ? "" : ", ", stdout);
	json_string(system);
	printf(": %.6g", r);
}

static void put_json_papers(const struct series *s)
{
	printf(", \"paper\": {");
	for (const struct paper *p = s->papers; p; p = p->next) {
		json_string(p->whose);
		printf(": %.9g%s", p->value, p->next ? ", " : "");
	}
	putchar('}');
}

static void put_json_bounds(const struct series *s)
{
	printf(", \"bounds\": [");
	for (const struct bound *b = s->bounds; b; b = b->next) {
		double is = bounded(s, &b->bar);

		printf("{\"%s\": %.9g", b->bar.is_least ? "at_least" : "at_most", b->bar.value);
		json_text(b->bar.kind == OF_DIFFERENCE ? "above" : "of", b->bar.kind == OF_ITSELF ? NULL : b->bar.of);
		if (isnan(is))
			printf(", \"is\": null, \"held\": null}");
		else
			printf(", \"is\": %.6g, \"held\": %s}", is, is_held(&b->bar, is) ? "true" : "false");
		fputs(b->next ? ", " : "", stdout);
	}
	putchar(']');
}

static void put_json_begin(const char *bench, const char *name, const char *system, const char *unit)
{
	static const char *separator = "";

	printf("%s\n  {\"bench\": ", separator);
	json_string(bench);
	json_text("case", name);
	json_text("system", system);
	json_text("unit", unit);
	separator = ",";
}

static void put_json_end(const char *bench, const char *of_case, const char *system)
{
	const char *separator = "";

	printf(", \"notes\": [");
	for (const struct remark *r = remarks; r; r = r->next) {
		if (!is_about(r, bench, of_case, system) && !is_about(r, bench, of_case, NULL))
			continue;
		fputs(separator, stdout);
		json_string(r->text);
		separator = ", ";
	}
	printf("], \"machine\": ");
	machine_json();
	putchar('}');
}

static void put_json_row(const struct series *s)
{
	struct summary r = sum_up(s);

	if (!r.runs)
		return;
	put_json_begin(s->bench, s->name, system_names[s->system], s->unit);
	printf(", \"median\": %.9g, \"min\": %.9g, \"max\": %.9g, \"runs\": %u, \"deviation_percent\": ",
	       r.median, r.min, r.max, r.runs);
	if (isnan(r.deviation))
		printf("null");
	else
		printf("%.4g", 100 * r.deviation);
	printf(", \"ratio_to\": {");
	each_ratio(s, put_json_ratio);
	putchar('}');
	put_json_papers(s);
	put_json_bounds(s);
	put_json_end(s->bench, s->of_case, system_names[s->system]);
}

/* Whether there is a row to put the remark into: of a figure, or of an earlier remark. */
static bool has_row(const struct remark *r)
{
	for (const struct series *s = all; s; s = s->next)
		if (is_about(r, s->bench, s->of_case, r->system ? system_names[s->system] : NULL) && sum_up(s).runs)
			return true;
	for (const struct remark *q = remarks; q != r; q = q->next)
		if (is_about(q, r->bench, r->of_case, r->system))
			return true;
	return false;
}

static void put_json_unmeasured(const struct remark *r)
{
	put_json_begin(r->bench, r->of_case, r->system, NULL);
	printf(", \"median\": null, \"min\": null, \"max\": null, \"runs\": 0, \"deviation_percent\": null"
	       ", \"ratio_to\": {}, \"paper\": {}, \"bounds\": []");
	put_json_end(r->bench, r->of_case, r->system);
}

void report_json(void)
{
	putchar('[');
	for (const struct series *s = all; s; s = s->next)
		put_json_row(s);
	for (const struct remark *r = remarks; r; r = r->next)
		if (!has_row(r))
			put_json_unmeasured(r);
	puts("\n]");
}

void report_each(void (*fn)(void *arg, const struct figure *f), void *arg)
{
	for (const struct series *s = all; s; s = s->next) {
		struct summary r = sum_up(s);
		struct figure f = { s->bench, s->name, system_names[s->system], s->unit, (int)s->system,
				    r.median, r.min, r.max };

		if (r.runs)
			fn(arg, &f);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * A picture of a trace by itself: a lane for each vproc, coloured by the thread that it runs or the
 * cause of its idleness, and below a row for each of the busiest threads, coloured by its state.
 *
 * What is at least a pixel wide is drawn where it is.  Where much happens within a pixel, the column
 * is divided in the proportions of the time that each took, threads below and idleness above: so a
 * lane of thousands of short runs reads as a chart of its load.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../look/look.h"
#include "model.h"

enum {
	WIDTH = 1320, LEFT = 168, RIGHT = 64, PLOT = WIDTH - LEFT - RIGHT,
	LANE = 34, LANE_GAP = 16, SMALL_LANE = 10, MANY_VPROCS = 16,
	ROW = 13, ROW_GAP = 5, ROWS_MAX = 24, COLOURS = 12, KEYS = 8, LEGEND_COLUMNS = 5,
};

static const char *const palette[COLOURS] = {
	"#3b6fb6", "#e0813a", "#45a06a", "#c9484c", "#58b0e3", "#8a6450",
	"#11756e", "#d66fa6", "#8fa83a", "#474c92", "#b0562b", "#2c8f9f",
};

/* What a place can be filled with; the colours of single threads follow. */
enum fill { FILL_LOOKING, FILL_ASLEEP, FILL_POLLING, FILL_CALL, FILL_READY, FILL_KERNEL, FILL_PARKED, FILL_OTHER, FILL_THREAD };

static const struct { const char *colour, *text; } fills[FILL_THREAD] = {
	[FILL_LOOKING] = { "#c3ccd8", "idle: looks for work" },
	[FILL_ASLEEP] = { "#eceff3", "idle: nothing to do" },
	[FILL_POLLING] = { "#d6e6dd", "idle: waits for I/O or a timer" },
	[FILL_CALL] = { "#e4d8ef", "idle: its thread is in a call" },
	[FILL_READY] = { "#f3c766", "ready, waits for a vproc" },
	[FILL_KERNEL] = { "#9a6cc0", "blocked in the kernel" },
	[FILL_PARKED] = { "#d9dee6", "parked" },
	[FILL_OTHER] = { "#8b97a5", "other threads" },
};

struct person {
	uint32_t thread;
	uint64_t running, weight;	/* weight: all but parked */
	bool has_colour;
	int rank;			/* of its colour */
};

static FILE *out;
static struct {
	const struct trace *t;
	struct person *people;		/* by id; as trace.threads */
	double px_per_ns;
	double y;
} pic;

static int by_running(const void *a, const void *b)
{
	const struct person *x = *(struct person *const *)a, *y = *(struct person *const *)b;

	if (x->running != y->running)
		return x->running > y->running ? -1 : 1;
	return x->thread < y->thread ? -1 : 1;
}

static int by_weight(const void *a, const void *b)
{
	const struct person *x = *(struct person *const *)a, *y = *(struct person *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->thread < y->thread ? -1 : 1;
}

static int by_thread(const void *a, const void *b)
{
	const struct person *x = *(struct person *const *)a, *y = *(struct person *const *)b;

	return x->thread < y->thread ? -1 : 1;
}

static struct person *person_of(uint32_t thread)
{
	size_t low = 0, high = pic.t->nthreads;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (pic.people[mid].thread == thread)
			return &pic.people[mid];
		if (pic.people[mid].thread < thread)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void *must(void *memory)
{
	if (!memory)
		die(1, "out of memory");
	return memory;
}

static struct person **sorted(int (*compare)(const void *, const void *))
{
	struct person **list = must(malloc((pic.t->nthreads + 1) * sizeof(struct person *)));

	for (size_t i = 0; i < pic.t->nthreads; i++)
		list[i] = &pic.people[i];
	if (pic.t->nthreads)
		qsort(list, pic.t->nthreads, sizeof(*list), compare);
	return list;
}

static void meet_people(void)
{
	const struct trace *t = pic.t;

	pic.people = must(calloc(t->nthreads + 1, sizeof(*pic.people)));
	for (size_t i = 0; i < t->nthreads; i++)
		pic.people[i].thread = t->threads[i].id;
	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];
		struct person *p = s->thread ? person_of(s->thread) : NULL;

		if (p && s->state == SPAN_RUNNING)
			p->running += s->end_ns - s->begin_ns;
		if (p && s->state != SPAN_PARKED)
			p->weight += s->end_ns - s->begin_ns;
	}
	struct person **list = sorted(by_running);

	for (size_t i = 0; i < t->nthreads && i < COLOURS && list[i]->running; i++) {
		list[i]->has_colour = true;
		list[i]->rank = (int)i;
	}
	free(list);
}

static int fill_of_thread(uint32_t thread)
{
	const struct person *p = person_of(thread);

	return p && p->has_colour ? FILL_THREAD + p->rank : FILL_OTHER;
}

static int fill_of(const struct span *s)
{
	switch ((enum span_state)s->state) {
	case SPAN_READY: return FILL_READY;
	case SPAN_PARKED: return FILL_PARKED;
	case SPAN_KERNEL: return FILL_KERNEL;
	case SPAN_IDLE:
		return !strcmp(s->what, IDLE_LOOKING) ? FILL_LOOKING : !strcmp(s->what, IDLE_ASLEEP) ? FILL_ASLEEP :
		       !strcmp(s->what, IDLE_POLLING) ? FILL_POLLING : FILL_CALL;
	case SPAN_RUNNING:
	case SPAN_STATES:
		break;
	}
	return fill_of_thread(s->thread);
}

static const char *colour_of(int fill)
{
	return fill < FILL_THREAD ? fills[fill].colour : palette[fill - FILL_THREAD];
}

static void put_escaped(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<' || c == '>' || c == '&' || c == '"')
			fprintf(out, "&#%d;", c);
		else if (c >= 0x20)
			c < 0x7f ? fputc(c, out) : fprintf(out, "&#%d;", c);
	}
}

static void put_text(double x, double y, const char *class, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	put_escaped(text);
	fputs("</text>\n", out);
}

static void put_rect(double x, double y, double w, double h, int fill)
{
	fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y, w, h,
		colour_of(fill));
}

static double x_of(uint64_t ns)
{
	return LEFT + (double)ns * pic.px_per_ns;
}

/* How a column is shared among the short spans in it. */
struct column {
	struct { int16_t fill; double ns; } keys[KEYS];
	int n;
};

static void column_add(struct column *c, int fill, double ns)
{
	for (int i = 0; i < c->n; i++)
		if (c->keys[i].fill == fill) {
			c->keys[i].ns += ns;
			return;
		}
	if (c->n == KEYS) {
		c->keys[KEYS - 1].ns += ns;
		return;
	}
	c->keys[c->n].fill = (int16_t)fill;
	c->keys[c->n++].ns = ns;
}

/* Threads, then what waits, then idleness, from the bottom up. */
static int stack_order(const void *a, const void *b)
{
	const int16_t *x = a, *y = b;
	bool x_is_thread = *x >= FILL_OTHER, y_is_thread = *y >= FILL_OTHER;

	if (x_is_thread != y_is_thread)
		return x_is_thread ? -1 : 1;
	return x_is_thread ? *x - *y : *y - *x;
}

static void put_column(struct column *c, int at, double y, double h)
{
	double whole = 0, bottom = y + h;

	qsort(c->keys, (size_t)c->n, sizeof(c->keys[0]), stack_order);
	for (int i = 0; i < c->n; i++)
		whole += c->keys[i].ns;
	for (int i = 0; i < c->n; i++) {
		double part = h * c->keys[i].ns / whole;

		bottom -= part;
		if (part >= 0.15)
			put_rect(LEFT + at, bottom, 1.02, part, c->keys[i].fill);
	}
}

static double height_of(int fill, double h)
{
	return fill == FILL_PARKED ? 3 : h;
}

/* With words that a browser shows under the pointer. */
static void put_wide(const struct span *s, double x, double y, double w, double h, int fill)
{
	fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>", x, y, w, h,
		colour_of(fill));
	if (s->thread) {
		put_escaped(trace_label(pic.t, s->thread));
		fprintf(out, " (%" PRIu32 ") ", s->thread);
	}
	fputs(span_state_names[s->state], out);
	if (*s->what) {
		fputs(": ", out);
		put_escaped(s->what);
	}
	if (*s->symbol) {
		fputc(' ', out);
		put_escaped(s->symbol);
	}
	fprintf(out, ", %.6g ms</title></rect>\n", (double)(s->end_ns - s->begin_ns) / 1e6);
}

/* One lane of spans that do not overlap; is_ours picks them. */
static void put_lane(bool (*is_ours)(const struct span *s, uint32_t id), uint32_t id, double y, double h)
{
	const struct trace *t = pic.t;
	struct column *columns = must(calloc(PLOT + 1, sizeof(*columns)));

	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];
		double x = (double)s->begin_ns * pic.px_per_ns, end = (double)s->end_ns * pic.px_per_ns;

		if (!is_ours(s, id) || end - x >= 1 || end <= x || x > PLOT)
			continue;
		int at = (int)x < PLOT ? (int)x : PLOT - 1;
		double here = end < at + 1 ? end - x : at + 1 - x;

		column_add(&columns[at], fill_of(s), here);
		if (end > at + 1)
			column_add(&columns[at + 1 < PLOT ? at + 1 : at], fill_of(s), end - (at + 1));
	}
	for (int i = 0; i < PLOT; i++)
		if (columns[i].n)
			put_column(&columns[i], i, y, h);
	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];
		double x = x_of(s->begin_ns), end = x_of(s->end_ns);

		if (!is_ours(s, id) || end - x < 1)
			continue;
		int fill = fill_of(s);
		double high = height_of(fill, h);

		put_wide(s, x, y + (h - high) / 2, end - x, high, fill);
	}
	free(columns);
}

static bool is_on_vproc(const struct span *s, uint32_t vproc)
{
	return s->vproc == (int)vproc;
}

static bool is_of_thread(const struct span *s, uint32_t thread)
{
	return s->thread == thread;
}

static double lane_height(void)
{
	return pic.t->nvprocs > MANY_VPROCS ? SMALL_LANE : LANE;
}

static double lane_gap(void)
{
	return pic.t->nvprocs > MANY_VPROCS ? 4 : LANE_GAP;
}

/* Above its lane: a kernel thread of the vproc blocked, and another came; threads were stolen. */
static void put_marks(unsigned vproc, double y)
{
	double last_upcall = -9, last_steal = -9;

	if (pic.t->nvprocs > MANY_VPROCS)
		return;
	for (size_t i = 0; i < pic.t->nmoments; i++) {
		const struct moment *m = &pic.t->moments[i];
		double x = x_of(m->ns);

		if (m->vproc != (int)vproc)
			continue;
		if (!strcmp(m->what, "blocked") && x - last_upcall >= 5) {
			fprintf(out, "<path d=\"M%.1f %.1fl-3.5 -6.5h7z\" fill=\"#9a3cc0\"/>\n", x, y);
			last_upcall = x;
		} else if (!strcmp(m->what, "steal") && x - last_steal >= 3) {
			fprintf(out, "<path d=\"M%.1f %.1fv-6\" stroke=\"#46505e\" stroke-width=\"1.4\"/>\n", x, y);
			last_steal = x;
		} else if (!strcmp(m->what, "events lost")) {
			fprintf(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#d3302f\" stroke-width=\"2\"/>\n", x, y - 7,
				lane_height() + 7);
		}
	}
}

static void put_vprocs(void)
{
	for (unsigned i = 0; i < pic.t->nvprocs; i++) {
		uint64_t busy = 0;
		char text[64];

		pic.y += lane_gap();
		for (size_t k = 0; k < pic.t->nspans; k++)
			if (is_on_vproc(&pic.t->spans[k], i) && pic.t->spans[k].thread)
				busy += pic.t->spans[k].end_ns - pic.t->spans[k].begin_ns;
		put_lane(is_on_vproc, i, pic.y, lane_height());
		put_marks(i, pic.y);
		snprintf(text, sizeof(text), "vproc %u", i);
		put_text(LEFT - 12, pic.y + lane_height() / 2 + 4, "label", text);
		snprintf(text, sizeof(text), "%.0f%%", pic.t->length_ns ? 100.0 * (double)busy / (double)pic.t->length_ns : 0);
		put_text(WIDTH - RIGHT + 8, pic.y + lane_height() / 2 + 4, "small", text);
		pic.y += lane_height();
	}
}

static size_t rows(void)
{
	return pic.t->nthreads < ROWS_MAX ? pic.t->nthreads : ROWS_MAX;
}

static void put_threads(void)
{
	struct person **list = sorted(by_weight);
	size_t n = rows();

	if (n)
		qsort(list, n, sizeof(*list), by_thread);
	for (size_t i = 0; i < n; i++) {
		char text[64];

		put_lane(is_of_thread, list[i]->thread, pic.y, ROW);
		snprintf(text, sizeof(text), "%.18s (%" PRIu32 ")", trace_label(pic.t, list[i]->thread), list[i]->thread);
		put_text(LEFT - 12, pic.y + ROW - 2.5, "label", text);
		pic.y += ROW + ROW_GAP;
	}
	free(list);
}

/* 1, 2 or 5 times a power of ten: about eight steps. */
static double step_ns(void)
{
	double rough = (double)pic.t->length_ns / 8, power = pow(10, floor(log10(rough > 1 ? rough : 1)));

	return rough / power < 1.5 ? power : rough / power < 3.5 ? 2 * power : rough / power < 7.5 ? 5 * power : 10 * power;
}

static void put_axis(double top, double bottom)
{
	double step = step_ns(), unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
	const char *name = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : unit == 1e3 ? "\302\265s" : "ns";

	for (double ns = 0; ns <= (double)pic.t->length_ns * 1.0001; ns += step) {
		double x = x_of((uint64_t)ns);

		fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid\"/>\n", x, top, bottom + 5);
		fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"tick\">%g</text>\n", x, bottom + 19, ns / unit);
	}
	fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"small\">%s</text>\n", WIDTH - RIGHT + 20, bottom + 19, name);
}

static double legend_entry(int at, double y, int fill, const char *text)
{
	double x = LEFT + (at % LEGEND_COLUMNS) * (double)(PLOT + RIGHT) / LEGEND_COLUMNS;

	y += at / LEGEND_COLUMNS * 19;
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>\n", x, y,
		colour_of(fill));
	put_text(x + 18, y + 10.5, "small", text);
	return y + 19;
}

static void put_legend(void)
{
	struct person **list = sorted(by_running);
	int n = 0;

	put_text(LEFT - 12, pic.y + 10.5, "head", "threads");
	double end = pic.y;

	for (size_t i = 0; i < pic.t->nthreads && list[i]->has_colour; i++, n++) {
		char text[64];

		snprintf(text, sizeof(text), "%.20s (%" PRIu32 ")", trace_label(pic.t, list[i]->thread), list[i]->thread);
		end = legend_entry(n, pic.y, FILL_THREAD + list[i]->rank, text);
	}
	if (pic.t->nthreads > COLOURS)
		end = legend_entry(n, pic.y, FILL_OTHER, fills[FILL_OTHER].text);
	free(list);
	pic.y = end + 6;
	put_text(LEFT - 12, pic.y + 10.5, "head", "vprocs");
	for (int i = FILL_LOOKING; i <= FILL_CALL; i++)
		legend_entry(i, pic.y, i, fills[i].text);
	pic.y += 25;
	put_text(LEFT - 12, pic.y + 10.5, "head", "states");
	for (int i = FILL_READY; i <= FILL_PARKED; i++)
		legend_entry(i - FILL_READY, pic.y, i, fills[i].text);
	double x = LEFT + 3.0 * (PLOT + RIGHT) / LEGEND_COLUMNS;

	fprintf(out, "<path d=\"M%.1f %.1fl-3.5 -6.5h7z\" fill=\"#9a3cc0\"/>\n", x + 6, pic.y + 9.5);
	put_text(x + 18, pic.y + 10.5, "small", "upcall: blocked, replaced");
	x += (double)(PLOT + RIGHT) / LEGEND_COLUMNS;
	fprintf(out, "<path d=\"M%.1f %.1fv-8\" stroke=\"#46505e\" stroke-width=\"1.4\"/>\n", x + 6, pic.y + 10);
	put_text(x + 18, pic.y + 10.5, "small", "threads stolen");
	pic.y += 26;
}

static void put_head(double height)
{
	const struct trace *t = pic.t;
	char text[200];
	int n;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n"
		"<style>text{font-family:Inter,'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#2b333f}"
		".title{font-size:19px;font-weight:600}.label{font-size:12px;text-anchor:end}"
		".small{font-size:11.5px;fill:#4b5563}.tick{font-size:11.5px;fill:#4b5563;text-anchor:middle}"
		".head{font-size:11.5px;fill:#7a8594;text-anchor:end}"
		".grid{stroke:#9aa5b4;stroke-opacity:.35;stroke-width:1;fill:none}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", WIDTH, height, WIDTH, height);
	snprintf(text, sizeof(text), "%s (%d)", t->command, t->pid);
	put_text(24, 36, "title", text);
	n = snprintf(text, sizeof(text), "%.3g %s, %u vprocs, %zu threads, %" PRIu64 " events",
		     (double)t->length_ns / (t->length_ns >= 1000000000 ? 1e9 : 1e6),
		     t->length_ns >= 1000000000 ? "s" : "ms", t->nvprocs, t->nthreads, t->events);
	if (t->lost)
		snprintf(text + n, sizeof(text) - (size_t)n, "; %" PRIu64 " more were lost (red lines)", t->lost);
	put_text(24, 57, "small", text);
}

static void put_body(void)
{
	pic.y = 66;
	double top = pic.y + 6;

	put_vprocs();
	pic.y += 26;
	if (pic.t->nthreads > ROWS_MAX) {
		char text[64];

		snprintf(text, sizeof(text), "the %d busiest of %zu threads", ROWS_MAX, pic.t->nthreads);
		put_text(LEFT, pic.y - 7, "small", text);
	}
	put_threads();
	put_axis(top, pic.y);
	pic.y += 44;
	put_legend();
	fputs("</svg>\n", out);
}

void trace_draw(const struct trace *t, const char *path)
{
	char *body;
	size_t bytes;

	memset(&pic, 0, sizeof(pic));
	pic.t = t;
	pic.px_per_ns = t->length_ns ? (double)PLOT / (double)t->length_ns : 0;
	meet_people();
	out = must(open_memstream(&body, &bytes));	/* how high it is is known at the end */
	put_body();
	fclose(out);
	out = fopen(path, "we");
	if (!out)
		die(1, "%s: %s", path, strerror(errno));
	put_head(pic.y + 14);
	fwrite(body, 1, bytes, out);
	free(body);
	free(pic.people);
	if (ferror(out) | fclose(out))
		die(1, "%s: %s", path, strerror(errno));
}

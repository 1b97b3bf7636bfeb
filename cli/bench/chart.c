// SPDX-License-Identifier: BSD-2-Clause
/* The medians as an SVG picture: a group of bars for each case and unit, as long as the logarithm of the figure. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../cli.h"

enum { LEFT = 340, WIDTH = 460, BAR = 14, GAP = 12, TOP = 40 };

static const char *const colors[SYSTEMS] = {
	[PROCESS] = "#79706e", [HAND_OFF] = "#bab0ac", [GLIBC] = "#f28e2b", [EPOLL] = "#59a14f", [POOL] = "#b07aa1",
	[UPCALL_NONE] = "#a0cbe8", [UPCALL] = "#4e79a7", [UPCALL_MONITOR] = "#86bcb6", [UPCALL_PERF] = "#499894",
	[UPCALL_BPF] = "#2f5d62", [NATIVE] = "#e15759", [UPCALL_SCX] = "#7f3c8d",
	[PEERS] = "#edc948", "#8cd17d", "#d37295", "#9c755f", "#d4a6c8", "#ffbe7d", "#b6992d", "#ff9d9a",
	"#6b4c9a", "#d7b5a6", "#1b7837", "#c51b7d", "#8c510a", "#fabfd2", "#a6a61f", "#333333",
};

struct chart {
	FILE *file;
	int y;			/* where the next bar goes */
	struct figure group;	/* one of the group at hand; all 0: none */
	double least, most;	/* of the group */
};

static bool is_drawn(const struct figure *f)
{
	return f->median > 0 && strcmp(f->unit, "%") && strcmp(f->unit, "of-mean");
}

/* Whether the bars of both stand together. */
static bool is_group(const struct figure *a, const struct figure *b)
{
	return a->name && !strcmp(a->bench, b->bench) && !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit);
}

static void take_range(void *arg, const struct figure *f)
{
	struct chart *c = arg;

	if (!is_drawn(f) || !is_group(&c->group, f))
		return;
	c->least = fmin(c->least, f->median);
	c->most = fmax(c->most, f->median);
}

static void text(FILE *file, int x, int y, const char *anchor, const char *words)
{
	fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	for (; *words; words++) {
		switch (*words) {
		case '<': fputs("&lt;", file); break;
		case '&': fputs("&amp;", file); break;
		default: fputc(*words, file);
		}
	}
	fputs("</text>\n", file);
}

/* The shortest bar of a group has a tenth of the width. */
static double length_of(const struct chart *c, double value)
{
	double range = log(c->most / c->least);

	return range > 0 ? WIDTH * (0.1 + 0.9 * log(value / c->least) / range) : WIDTH;
}

static void draw(void *arg, const struct figure *f)
{
	struct chart *c = arg;
	char label[160];

	if (!is_drawn(f))
		return;
	if (!is_group(&c->group, f)) {
		c->y += GAP;
		c->group = *f;
		c->least = INFINITY;
		c->most = 0;
		report_each(take_range, c);
		snprintf(label, sizeof(label), "%s %s", f->bench, f->name);
		text(c->file, LEFT - 90, c->y + BAR - 3, "end", label);
	}
	text(c->file, LEFT - 6, c->y + BAR - 3, "end", f->system);
	fprintf(c->file, "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>\n", LEFT, c->y,
		length_of(c, f->median), BAR - 2, colors[f->index]);
	snprintf(label, sizeof(label), "%.4g %s", f->median, f->unit);
	text(c->file, LEFT + (int)length_of(c, f->median) + 6, c->y + BAR - 3, "start", label);
	c->y += BAR;
}

static void count(void *arg, const struct figure *f)
{
	struct chart *c = arg;

	if (!is_drawn(f))
		return;
	c->y += BAR + (is_group(&c->group, f) ? 0 : GAP);
	c->group = *f;
}

void chart_write(const char *path)
{
	struct chart c = { .y = TOP };

	report_each(count, &c);
	int height = c.y + GAP;

	c = (struct chart){ .file = fopen(path, "w"), .y = TOP - GAP };
	if (!c.file)
		die(1, "%s: %s", path, strerror(errno));
	fprintf(c.file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n", LEFT + WIDTH + 140, height);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", c.file);
	text(c.file, 12, 20, "start", "upcall bench: medians; bars are logarithmic within a case");
	report_each(draw, &c);
	fputs("</svg>\n", c.file);
	if (ferror(c.file) | fclose(c.file))
		die(1, "%s: %s", path, strerror(errno));
}

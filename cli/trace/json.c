// SPDX-License-Identifier: BSD-2-Clause
/*
 * A trace as a file: the JSON that Perfetto's viewer and Chrome's read.  Process 1 of it are the
 * vprocs, a track each; process 2 the threads.  Arrows go from where a thread was woken to where it
 * runs next.  All that load.c needs is in the args of the threads' tracks and of idle vprocs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../look/look.h"
#include "model.h"

enum { VPROCS = 1, THREADS = 2 };

static FILE *out;
static bool is_first;
static uint64_t arrows;

/* Times in the file are microseconds with three places: nothing is rounded. */
static void put_us(const char *key, uint64_t ns)
{
	fprintf(out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void put_text(const char *text)
{
	putc_unlocked('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			fprintf(out, "\\u%04x", *p);	/* as Latin-1: names are bytes of no known encoding */
		else
			putc_unlocked(*p, out);
	}
	putc_unlocked('"', out);
}

static void put_key_text(const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	put_text(text);
}

static void begin(const char *phase, int process, uint32_t track)
{
	fputs(is_first ? "\n" : ",\n", out);
	is_first = false;
	fprintf(out, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32, phase, process, track);
}

static void put_meta(const char *what, int process, uint32_t track, const char *name)
{
	begin("M", process, track);
	fprintf(out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	put_text(name);
	fputs("}}", out);
}

static void put_sort_index(const char *what, int process, uint32_t track, uint32_t index)
{
	begin("M", process, track);
	fprintf(out, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu32 "}}", what, index);
}

static void put_names(const struct trace *t)
{
	char text[400];

	snprintf(text, sizeof(text), "vprocs of %s (%d)", t->command, t->pid);
	put_meta("process_name", VPROCS, 0, text);
	put_sort_index("process_sort_index", VPROCS, 0, 0);
	snprintf(text, sizeof(text), "threads of %s (%d)", t->command, t->pid);
	put_meta("process_name", THREADS, 0, text);
	put_sort_index("process_sort_index", THREADS, 0, 1);
	for (unsigned i = 0; i < t->nvprocs; i++) {
		snprintf(text, sizeof(text), "vproc %u", i);
		put_meta("thread_name", VPROCS, i, text);
		put_sort_index("thread_sort_index", VPROCS, i, i);
	}
	for (size_t i = 0; i < t->nthreads; i++) {
		put_meta("thread_name", THREADS, t->threads[i].id, t->threads[i].label);
		put_sort_index("thread_sort_index", THREADS, t->threads[i].id, t->threads[i].id);
	}
}

/* What people see on a thread's track. */
static const char *title(const struct span *s, char *text, size_t size)
{
	switch ((enum span_state)s->state) {
	case SPAN_PARKED:
		if (*s->symbol || s->object) {
			char address[24];

			snprintf(address, sizeof(address), "0x%" PRIx64, s->object);
			snprintf(text, size, "%s %s", s->what, *s->symbol ? s->symbol : address);
			return text;
		}
		return s->what;
	case SPAN_KERNEL:
		return *s->what ? s->what : "kernel";
	default:
		return span_state_names[s->state];
	}
}

static void put_arrow(const char *end, int process, uint32_t track, uint64_t ns)
{
	begin(end, process, track);
	put_us("ts", ns);
	fprintf(out, ",\"cat\":\"wake\",\"name\":\"wake\",\"id\":%" PRIu64 "%s}", arrows, *end == 'f' ? ",\"bp\":\"e\"" : "");
}

/* From where somebody made the thread ready to where it runs, if that is known. */
static void put_arrows(const struct span *s)
{
	if (s->by)
		put_arrow("s", THREADS, s->by, s->begin_ns);
	else if (s->by_vproc >= 0)
		put_arrow("s", VPROCS, (uint32_t)s->by_vproc, s->begin_ns);
	else
		return;
	put_arrow("f", THREADS, s->thread, s->end_ns);
	arrows++;
}

static void put_thread_span(const struct span *s)
{
	char text[400];

	begin("X", THREADS, s->thread);
	put_us("ts", s->begin_ns);
	put_us("dur", s->end_ns - s->begin_ns);
	put_key_text("name", title(s, text, sizeof(text)));
	fprintf(out, ",\"cat\":\"thread\",\"args\":{\"state\":\"%s\"", span_state_names[s->state]);
	if (*s->what)
		put_key_text(s->state == SPAN_RUNNING ? "end" : s->state == SPAN_READY ? "why" :
			     s->state == SPAN_KERNEL ? "call" : "kind", s->what);
	if (s->vproc >= 0)
		fprintf(out, ",\"vproc\":%d", s->vproc);
	if (s->object)
		fprintf(out, ",\"object\":\"0x%" PRIx64 "\"", s->object);
	if (*s->symbol)
		put_key_text("symbol", s->symbol);
	if (s->by)
		fprintf(out, ",\"by\":%" PRIu32, s->by);
	if (s->by_vproc >= 0)
		fprintf(out, ",\"by_vproc\":%d", s->by_vproc);
	fputs("}}", out);
}

static void put_vproc_span(const struct trace *t, const struct span *s)
{
	begin("X", VPROCS, (uint32_t)s->vproc);
	put_us("ts", s->begin_ns);
	put_us("dur", s->end_ns - s->begin_ns);
	put_key_text("name", s->thread ? trace_label(t, s->thread) : s->what);
	fputs(",\"cat\":\"vproc\",\"args\":{", out);
	if (s->thread) {
		fprintf(out, "\"thread\":%" PRIu32 "}}", s->thread);
	} else {
		fputs("\"idle\":", out);
		put_text(s->what);
		fputs("}}", out);
	}
}

static void put_moment(const struct moment *m)
{
	begin("i", m->vproc >= 0 ? VPROCS : THREADS, m->vproc >= 0 ? (uint32_t)m->vproc : m->thread);
	put_us("ts", m->ns);
	put_key_text("name", m->what);
	fprintf(out, ",\"cat\":\"event\",\"s\":\"t\",\"args\":{\"thread\":%" PRIu32 ",\"number\":%" PRIu64 "}}",
		m->thread, m->number);
}

void trace_write(const struct trace *t, const char *path)
{
	out = fopen(path, "we");
	if (!out)
		die(1, "%s: %s", path, strerror(errno));
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	is_first = true;
	arrows = 0;
	fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"upcall\":1,\"command\":");
	put_text(t->command);
	fprintf(out, ",\"pid\":%d,\"vprocs\":%u,\"length_ns\":%" PRIu64 ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64 "},\n"
		"\"traceEvents\":[", t->pid, t->nvprocs, t->length_ns, t->events, t->lost);
	put_names(t);
	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];

		if (s->thread)
			put_thread_span(s);
		if (s->vproc >= 0)
			put_vproc_span(t, s);
		if (s->state == SPAN_READY)
			put_arrows(s);
	}
	for (size_t i = 0; i < t->nmoments; i++)
		put_moment(&t->moments[i]);
	fputs("\n]}\n", out);
	if (ferror(out) | fclose(out))
		die(1, "%s: %s", path, strerror(errno));
}

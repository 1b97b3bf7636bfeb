// SPDX-License-Identifier: BSD-2-Clause
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../look/look.h"

const char *const span_state_names[SPAN_STATES] = { "running", "ready", "parked", "kernel", "idle" };

static void *grown(void *old, size_t n, size_t *room, size_t bytes)
{
	if (n < *room)
		return old;
	*room = *room ? 2 * *room : 1024;
	void *more = realloc(old, *room * bytes);

	if (!more)
		die(1, "out of memory");
	return more;
}

static struct {
	const char **slots;
	size_t size, used;	/* size: a power of two */
} texts;

static size_t hash(const char *text)
{
	size_t h = 5381;

	while (*text)
		h = h * 33 ^ (unsigned char)*text++;
	return h;
}

static const char **slot_of(const char *text)
{
	size_t at = hash(text) & (texts.size - 1);

	while (texts.slots[at] && strcmp(texts.slots[at], text))
		at = (at + 1) & (texts.size - 1);
	return &texts.slots[at];
}

static void grow_texts(void)
{
	const char **old = texts.slots;
	size_t n = texts.size;

	texts.size = n ? 2 * n : 256;
	texts.slots = calloc(texts.size, sizeof(*texts.slots));
	if (!texts.slots)
		die(1, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot_of(old[i]) = old[i];
	free(old);
}

const char *intern(const char *text)
{
	if (2 * texts.used >= texts.size)
		grow_texts();
	const char **slot = slot_of(text);

	if (!*slot) {
		*slot = strdup(text);
		texts.used++;
	}
	if (!*slot)
		die(1, "out of memory");
	return *slot;
}

void trace_add_span(struct trace *t, const struct span *s)
{
	t->spans = grown(t->spans, t->nspans, &t->spans_room, sizeof(*t->spans));
	t->spans[t->nspans++] = *s;
}

void trace_add_moment(struct trace *t, const struct moment *m)
{
	t->moments = grown(t->moments, t->nmoments, &t->moments_room, sizeof(*t->moments));
	t->moments[t->nmoments++] = *m;
}

void trace_add_thread(struct trace *t, uint32_t id, const char *label)
{
	t->threads = grown(t->threads, t->nthreads, &t->threads_room, sizeof(*t->threads));
	t->threads[t->nthreads++] = (struct traced_thread){ id, intern(label) };
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static int by_id(const void *a, const void *b)
{
	const struct traced_thread *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void trace_finish(struct trace *t)
{
	if (t->nspans)
		qsort(t->spans, t->nspans, sizeof(*t->spans), by_begin);
	if (t->nthreads)
		qsort(t->threads, t->nthreads, sizeof(*t->threads), by_id);
}

const char *trace_label(const struct trace *t, uint32_t thread)
{
	struct traced_thread key = { thread, NULL };
	const struct traced_thread *found =
		t->nthreads ? bsearch(&key, t->threads, t->nthreads, sizeof(key), by_id) : NULL;

	return found ? found->label : "-";
}

void trace_free(struct trace *t)
{
	free(t->spans);
	free(t->moments);
	free(t->threads);
	memset(t, 0, sizeof(*t));
}

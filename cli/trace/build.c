// SPDX-License-Identifier: BSD-2-Clause
/*
 * From events to spans: a walk through the events of all rings in the order of time.
 *
 * What is known of each thread and each vproc is its present state and since when.  Two disorders are
 * normal, because a waker and its thread are on different vprocs: a thread is woken before it has
 * left (early), or is seen to run before the wake is (owed).  After a gap, where events are lost,
 * nothing is said until the next event of the thread or vproc.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "record.h"
#include "unpack.h"

enum { STATE_UNKNOWN = SPAN_STATES, STATE_GONE };

struct known_thread {
	uint32_t id;
	uint8_t state;			/* enum span_state, or one of the above */
	bool is_early;			/* woken while it still runs: `by` is valid for the next READY */
	bool is_owed;			/* runs, and its wake is yet to come */
	bool was_blocked;		/* kernel: its vproc is another's */
	int16_t vproc, by_vproc;
	uint32_t by;
	uint64_t since, object;		/* ticks */
	const char *what, *symbol, *name;
	uint64_t start;
};

struct known_vproc {
	bool is_known;
	uint32_t thread;		/* 0: idle */
	uint64_t since;			/* idle: ticks */
	const char *cause;
	uint64_t seen;			/* ticks of its last event */
};

static struct {
	struct trace *t;
	struct recording *r;
	struct known_thread *threads;	/* hash by id */
	size_t size, used;
	struct known_vproc vprocs[UPCALL_TRACE_RINGS];
	uint64_t silent_since;		/* a thread that has not been heard of may have begun then: events were lost */
	double ns_per_tick;
	uint64_t tag_mask, slot_bytes, per_page;
	uint64_t timeout, signal, cancel;
	struct { uint64_t address, index; } pages[4096];
	size_t npages;
} b;

static uint64_t ns_of(uint64_t ticks)
{
	return ticks <= b.r->begin_ticks ? 0 : (uint64_t)((double)(ticks - b.r->begin_ticks) * b.ns_per_tick);
}

static struct known_thread *slot_of(struct known_thread *slots, size_t size, uint32_t id)
{
	size_t h = id * 2654435761u & (size - 1);

	while (slots[h].id && slots[h].id != id)
		h = (h + 1) & (size - 1);
	return &slots[h];
}

static void grow(void)
{
	size_t size = b.size ? 2 * b.size : 1024;
	struct known_thread *slots = calloc(size, sizeof(*slots));

	if (!slots)
		die(1, "out of memory");
	for (size_t i = 0; i < b.size; i++)
		if (b.threads[i].id)
			*slot_of(slots, size, b.threads[i].id) = b.threads[i];
	free(b.threads);
	b.threads = slots;
	b.size = size;
}

static struct known_thread *thread_of(uint32_t id)
{
	if (2 * b.used >= b.size)
		grow();
	struct known_thread *k = slot_of(b.threads, b.size, id);

	if (!k->id) {
		*k = (struct known_thread){ .id = id, .state = STATE_UNKNOWN, .vproc = -1, .by_vproc = -1,
					    .since = b.silent_since, .what = "", .symbol = "" };
		b.used++;
	}
	return k;
}

static struct known_vproc *vproc_of(const struct upcall_trace_event *e)
{
	return e->vproc < UPCALL_TRACE_RINGS ? &b.vprocs[e->vproc] : NULL;
}

static int16_t vproc_number(const struct upcall_trace_event *e)
{
	return e->vproc < UPCALL_TRACE_RINGS ? (int16_t)e->vproc : -1;
}

/* The call that it was seen in meanwhile. */
static const char *call_of(const struct known_thread *k, uint64_t end)
{
	const struct recording *r = b.r;
	size_t low = 0, high = r->ncalls;

	while (low < high) {		/* the first that was seen after it began */
		size_t mid = (low + high) / 2;

		if (r->calls[mid].ticks < k->since)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->ncalls && r->calls[low].ticks <= end; low++)
		if (r->calls[low].thread == k->id)
			return r->calls[low].name;
	return "";
}

/* The state that k is in ends: how, when it ran. */
static void close_span(struct known_thread *k, uint64_t ticks, const char *how)
{
	struct span s = { .begin_ns = ns_of(k->since), .end_ns = ns_of(ticks), .thread = k->id, .vproc = -1,
			  .by_vproc = -1, .state = k->state, .what = k->what, .symbol = k->symbol };

	if (k->state >= SPAN_STATES || ticks < k->since)
		return;
	if (k->state == SPAN_RUNNING) {
		s.vproc = k->vproc;
		s.what = how;
	} else if (k->state == SPAN_READY) {
		s.by = k->by;
		s.by_vproc = k->by_vproc;
	} else if (k->state == SPAN_PARKED) {
		s.object = k->object;
	} else if (k->state == SPAN_KERNEL) {
		s.what = call_of(k, ticks);
	}
	trace_add_span(b.t, &s);
}

static void enter(struct known_thread *k, enum span_state state, uint64_t ticks, const char *what)
{
	k->state = (uint8_t)state;
	k->since = ticks;
	k->what = what;
	k->symbol = "";
	k->object = 0;
}

static void change(struct known_thread *k, enum span_state state, uint64_t ticks, const char *what)
{
	close_span(k, ticks, what);
	enter(k, state, ticks, what);
}

static void make_ready(struct known_thread *k, uint64_t ticks, const char *why, uint32_t by, int16_t by_vproc)
{
	change(k, SPAN_READY, ticks, why);
	k->by = by;
	k->by_vproc = by_vproc;
}

/* A key that is in a slot is a descriptor's, and the word in the slot says which way. */
static const char *io_symbol(uint64_t key)
{
	char text[40];

	for (size_t i = 0; i < b.npages; i++) {
		uint64_t offset = key - b.pages[i].address;

		if (key < b.pages[i].address || !b.slot_bytes || offset >= b.per_page * b.slot_bytes)
			continue;
		snprintf(text, sizeof(text), "fd %d %s", (int)(b.pages[i].index * b.per_page + offset / b.slot_bytes),
			 offset % b.slot_bytes == 0 ? "read" : "write");
		return intern(text);
	}
	return "poll";
}

static void park(struct known_thread *k, uint64_t ticks, unsigned kind, uint64_t key)
{
	const char *what = b.r->waits[kind & 255] ? intern(b.r->waits[kind & 255]) : NULL;

	change(k, SPAN_PARKED, ticks, what ? what : "wait");
	if (what && !strcmp(what, "io")) {
		k->symbol = io_symbol(key & ~b.tag_mask);
	} else if (!what || (strcmp(what, "sleep") && strcmp(what, "join") && strcmp(what, "park") &&
			     strcmp(what, "signal"))) {
		k->object = key & ~b.tag_mask;
		k->symbol = intern(target_symbol(&b.r->target, k->object));
	}
	if (!k->is_early)
		return;
	k->is_early = false;
	make_ready(k, ticks, "woken", k->by, k->by_vproc);
}

static void idle_begins(struct known_vproc *v, uint64_t ticks, const char *cause)
{
	v->is_known = true;
	v->thread = 0;
	v->since = ticks;
	v->cause = cause;
}

static void idle_ends(struct known_vproc *v, uint64_t ticks)
{
	struct span s = { .begin_ns = ns_of(v->since), .end_ns = ns_of(ticks), .state = SPAN_IDLE,
			  .vproc = (int16_t)(v - b.vprocs), .by_vproc = -1, .what = v->cause, .symbol = "" };

	if (v->is_known && !v->thread && ticks > v->since)
		trace_add_span(b.t, &s);
}

/* The first that is heard of a thread says what it did before. */
static void assume(struct known_thread *k, enum span_state state, int16_t vproc)
{
	if (k->state != STATE_UNKNOWN)
		return;
	k->state = (uint8_t)state;
	k->vproc = vproc;
	k->what = state == SPAN_READY ? "before" : "";
}

static void runs(struct known_thread *k, uint64_t ticks, int16_t vproc)
{
	assume(k, SPAN_READY, -1);
	k->is_owed = k->state == SPAN_PARKED;
	if (k->is_owed)
		make_ready(k, ticks, "woken", 0, -1);
	change(k, SPAN_RUNNING, ticks, "");
	k->vproc = vproc;
	k->was_blocked = false;
}

static const char *left_for(uint8_t reason)
{
	static const char *const names[] = { "idle", "park", "yield", "preempt", "lost", "bind", "exit", "spawn" };

	return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "";
}

static void leaves(struct known_thread *k, const struct upcall_trace_event *e)
{
	assume(k, SPAN_RUNNING, vproc_number(e));
	switch ((enum upcall_trace_left)e->reason) {
	case UPCALL_LEFT_PARK:
		close_span(k, e->ticks, "park");
		k->state = STATE_GONE;
		k->since = e->ticks;
		park(k, e->ticks, e->number, e->object);
		break;
	case UPCALL_LEFT_YIELD:
		make_ready(k, e->ticks, "yield", 0, vproc_number(e));
		break;
	case UPCALL_LEFT_SPAWN:
		make_ready(k, e->ticks, "spawn", 0, vproc_number(e));
		break;
	case UPCALL_LEFT_PREEMPT:
		make_ready(k, e->ticks, "preempt", 0, vproc_number(e));
		break;
	case UPCALL_LEFT_LOST:
		if (k->state != SPAN_READY)	/* its UNBLOCKED is lost */
			make_ready(k, e->ticks, "unblocked", 0, -1);
		break;
	case UPCALL_LEFT_BIND:
		make_ready(k, e->ticks, "bind", 0, -1);
		break;
	case UPCALL_LEFT_IDLE:
	case UPCALL_LEFT_EXIT:
		close_span(k, e->ticks, left_for(e->reason));
		k->state = STATE_GONE;
		break;
	}
}

static void on_switch(const struct upcall_trace_event *e)
{
	struct known_vproc *v = vproc_of(e);

	if (v) {
		if (!v->is_known && !e->thread && !v->seen)	/* idle since before */
			idle_begins(v, b.r->begin_ticks, IDLE_LOOKING);
		idle_ends(v, e->ticks);
		v->is_known = true;
		v->thread = e->other;
	}
	if (e->thread)
		leaves(thread_of(e->thread), e);
	if (e->other)
		runs(thread_of(e->other), e->ticks, v ? (int16_t)e->vproc : -1);
	else if (v)
		idle_begins(v, e->ticks, IDLE_LOOKING);
}

static void on_wake(const struct upcall_trace_event *e)
{
	struct known_thread *k = thread_of(e->other);
	const char *why = e->number == b.timeout ? "timeout" : e->number == b.signal ? "signal" :
			  e->number == b.cancel ? "cancel" : "woken";

	if (k->is_owed) {
		k->is_owed = false;
		return;
	}
	if (k->state == STATE_UNKNOWN) {
		k->state = STATE_GONE;
		park(k, k->since, e->reason, e->object);
	}
	if (k->state == SPAN_PARKED) {
		make_ready(k, e->ticks, why, e->thread, vproc_number(e));
	} else if (k->state == SPAN_RUNNING) {
		k->is_early = true;
		k->by = e->thread;
		k->by_vproc = vproc_number(e);
	}
}

static void on_call(const struct upcall_trace_event *e)
{
	struct known_thread *k = thread_of(e->thread);
	struct known_vproc *v = vproc_of(e);

	assume(k, SPAN_RUNNING, vproc_number(e));
	change(k, SPAN_KERNEL, e->ticks, "call");
	if (v)
		idle_begins(v, e->ticks, IDLE_CALL);
}

static void on_return(const struct upcall_trace_event *e)
{
	struct known_thread *k = thread_of(e->thread);
	struct known_vproc *v = vproc_of(e);

	assume(k, SPAN_KERNEL, -1);
	if (k->state != SPAN_KERNEL || k->was_blocked)
		return;			/* it has waited for its turn since, and runs */
	change(k, SPAN_RUNNING, e->ticks, "");
	k->vproc = vproc_number(e);
	if (v) {
		idle_ends(v, e->ticks);
		v->is_known = true;
		v->thread = e->thread;
	}
}

static void on_blocked(const struct upcall_trace_event *e)
{
	struct known_vproc *v = vproc_of(e);

	if (v) {
		idle_ends(v, e->ticks);
		idle_begins(v, e->ticks, IDLE_LOOKING);
	}
	if (!e->thread)
		return;
	struct known_thread *k = thread_of(e->thread);

	assume(k, SPAN_RUNNING, vproc_number(e));
	if (k->state != SPAN_KERNEL)
		change(k, SPAN_KERNEL, e->ticks, "blocked");
	k->was_blocked = true;
}

static void on_sleep(const struct upcall_trace_event *e, const char *cause)
{
	struct known_vproc *v = vproc_of(e);

	if (!v)
		return;
	idle_ends(v, e->ticks);
	idle_begins(v, e->ticks, cause);
}

static void on_create(const struct upcall_trace_event *e)
{
	struct known_thread *k = thread_of(e->other);

	k->start = e->object;
	if (k->state != STATE_UNKNOWN)
		return;			/* it runs already, on another vproc */
	k->state = STATE_GONE;
	make_ready(k, e->ticks, "created", e->thread, vproc_number(e));
}

static void add_moment(const struct upcall_trace_event *e, const char *what)
{
	struct moment m = { .ns = ns_of(e->ticks), .number = e->number, .what = what, .thread = e->thread,
			    .vproc = vproc_number(e) };

	if (e->kind == UPCALL_TRACE_ADDED || e->kind == UPCALL_TRACE_PREEMPTED)
		m.vproc = (int16_t)e->object;
	if (e->kind == KIND_GAP)
		m.number = e->object;
	trace_add_moment(b.t, &m);
}

/* What was known is not so any more. */
static void on_gap(const struct upcall_trace_event *e)
{
	struct known_vproc *v = vproc_of(e);

	add_moment(e, "events lost");
	b.silent_since = e->ticks;
	if (!v) {
		for (size_t i = 0; i < b.size; i++)
			b.threads[i].is_owed = b.threads[i].is_early = false;
		return;
	}
	if (v->is_known && !v->thread)
		idle_ends(v, v->seen);
	v->is_known = false;
	for (size_t i = 0; i < b.size; i++) {
		struct known_thread *k = &b.threads[i];

		if (!k->id || k->state == STATE_GONE)
			continue;
		if (k->state == SPAN_RUNNING && k->vproc == vproc_number(e))
			close_span(k, v->seen, "");
		else
			close_span(k, v->seen > k->since ? v->seen : k->since, "");
		k->is_owed = k->is_early = false;
		k->state = STATE_UNKNOWN;
		k->since = e->ticks;
	}
}

/* An event that must be of a thread, and is not, is nothing that the library writes. */
static bool is_of_nobody(const struct upcall_trace_event *e)
{
	switch (e->kind) {
	case UPCALL_TRACE_WAKE: case UPCALL_TRACE_CREATE: return !e->other;
	case UPCALL_TRACE_PARK: case UPCALL_TRACE_RUN: case UPCALL_TRACE_NAME: case UPCALL_TRACE_UNBLOCKED:
	case UPCALL_TRACE_CALL: case UPCALL_TRACE_RETURN: return !e->thread;
	default: return false;
	}
}

static void on_event(const struct upcall_trace_event *e)
{
	struct known_thread *k;

	if (is_of_nobody(e))
		return;
	switch (e->kind) {
	case KIND_GAP: on_gap(e); break;
	case UPCALL_TRACE_SWITCH: on_switch(e); break;
	case UPCALL_TRACE_WAKE: on_wake(e); break;
	case UPCALL_TRACE_PARK:
		k = thread_of(e->thread);
		assume(k, SPAN_RUNNING, -1);
		park(k, e->ticks, e->reason, e->object);
		break;
	case UPCALL_TRACE_RUN:
		k = thread_of(e->thread);
		k->is_early = false;
		if (k->state == SPAN_PARKED || k->state == SPAN_READY || k->state == STATE_UNKNOWN)
			runs(k, e->ticks, -1);
		break;
	case UPCALL_TRACE_CREATE: on_create(e); break;
	case UPCALL_TRACE_NAME: {
		char name[17] = "";

		memcpy(name, &e->other, 16);
		thread_of(e->thread)->name = intern(name);
		break;
	}
	case UPCALL_TRACE_STEAL: add_moment(e, "steal"); break;
	case UPCALL_TRACE_ADDED: add_moment(e, "added"); break;
	case UPCALL_TRACE_BLOCKED:
		on_blocked(e);
		add_moment(e, "blocked");
		break;
	case UPCALL_TRACE_UNBLOCKED:
		add_moment(e, "unblocked");
		k = thread_of(e->thread);
		assume(k, SPAN_KERNEL, -1);
		make_ready(k, e->ticks, "unblocked", 0, -1);
		break;
	case UPCALL_TRACE_PREEMPTED: add_moment(e, "preempted"); break;
	case UPCALL_TRACE_CALL: on_call(e); break;
	case UPCALL_TRACE_RETURN: on_return(e); break;
	case UPCALL_TRACE_SLEEP: on_sleep(e, e->reason ? IDLE_POLLING : IDLE_ASLEEP); break;
	case UPCALL_TRACE_AWAKE: on_sleep(e, IDLE_LOOKING); break;
	case UPCALL_TRACE_POLL: add_moment(e, "poll"); break;
	}
	if (vproc_of(e))
		vproc_of(e)->seen = e->ticks;
}

/* All events in the order of time. */
static void walk(struct recording *r)
{
	static struct unpacker rings[UPCALL_TRACE_RINGS];
	unsigned n = 0;

	for (unsigned i = 0; i < r->nrings; i++) {
		unpack_init(&rings[n], r, i);
		n += unpack_next(&rings[n]);
	}
	while (n) {
		struct unpacker *next = &rings[0];

		for (unsigned i = 1; i < n; i++)
			if (rings[i].event.ticks < next->event.ticks)
				next = &rings[i];
		on_event(&next->event);
		if (!unpack_next(next))
			*next = rings[--n];
	}
}

/* A thread that no event tells of has been in one state all the time. */
static void add_silent(const struct snapshot *s)
{
	for (size_t i = 0; i < s->nthreads; i++) {
		const struct look_thread *l = &s->threads[i];
		struct known_thread *k = thread_of(l->id);

		if (!k->start)
			k->start = l->start;
		if (!k->name && l->name[0])
			k->name = intern(l->name);
		if (k->state != STATE_UNKNOWN || k->since != b.r->begin_ticks)
			continue;
		if (l->state == LOOK_PARKED) {
			k->state = STATE_GONE;
			park(k, b.r->begin_ticks, l->wait_kind, l->wait_key);
		} else if (l->state == LOOK_RUNNING || l->state == LOOK_READY || l->state == LOOK_KERNEL) {
			assume(k, l->state == LOOK_RUNNING ? SPAN_RUNNING : l->state == LOOK_READY ? SPAN_READY : SPAN_KERNEL,
			       -1);
		}
	}
}

static void finish_threads(void)
{
	for (size_t i = 0; i < b.size; i++) {
		struct known_thread *k = &b.threads[i];
		char label[300];

		if (!k->id)
			continue;
		close_span(k, b.r->end_ticks, "");
		/* What nobody gave a name has the program's, as on kernel threads. */
		bool has_name = k->name && k->name[0] && strncmp(k->name, b.t->command, 15) != 0;
		const char *symbol = k->start ? target_symbol(&b.r->target, k->start) : "";

		if (k->id == 1)
			snprintf(label, sizeof(label), "main");
		else if (has_name || !*symbol)
			snprintf(label, sizeof(label), "%s", k->name && k->name[0] ? k->name : "-");
		else
			snprintf(label, sizeof(label), "%s()", symbol);
		trace_add_thread(b.t, k->id, label);
	}
}

static void read_layout(void)
{
	const struct target *t = &b.r->target;
	const struct upcall_entry *e = target_entry(t, "slot.pages");

	b.tag_mask = target_value(t, "key.tag_mask", 0);
	b.slot_bytes = target_value(t, "slot", 0);
	b.per_page = target_value(t, "slot.per_page", 0);
	b.timeout = target_value(t, "result.timeout", UINT64_MAX);
	b.signal = target_value(t, "result.signal", UINT64_MAX);
	b.cancel = target_value(t, "result.cancel", UINT64_MAX);
	for (size_t i = 0; e && i < e->bytes / 8u && i < sizeof(b.r->slot_pages) / 8; i++) {
		uint64_t page = b.r->slot_pages[i];

		if (page) {
			b.pages[b.npages].address = page;
			b.pages[b.npages++].index = i;
		}
	}
}

void trace_build(struct trace *t, struct recording *r)
{
	memset(&b, 0, sizeof(b));
	b.t = t;
	b.r = r;
	b.ns_per_tick = r->ns_per_tick;
	b.silent_since = r->begin_ticks;
	memcpy(t->command, r->target.command, sizeof(t->command));
	t->pid = (int)r->target.pid;
	t->nvprocs = r->nrings ? r->nrings - 1 : 0;
	t->length_ns = ns_of(r->end_ticks);
	t->events = r->events;
	t->lost = r->lost;
	read_layout();
	walk(r);
	for (unsigned i = 0; i < t->nvprocs; i++)
		idle_ends(&b.vprocs[i], r->end_ticks);
	b.silent_since = r->begin_ticks;
	add_silent(&r->first);
	if (r->has_last)
		add_silent(&r->last);
	finish_threads();
	free(b.threads);
	trace_finish(t);
}

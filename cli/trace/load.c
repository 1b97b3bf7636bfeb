// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading a file that json.c wrote, or that a tool wrote anew in its own layout: any JSON with the
 * same keys.  Each object is flattened to keys and values; an object inside adds its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <upcall/trace.h>

#include "../look/look.h"
#include "model.h"

enum { PAIRS_MAX = 64, DEPTH_MAX = 32 };

struct pair {
	char key[24], value[400];
};

static struct {
	const char *path, *p;
	struct pair pairs[PAIRS_MAX];
	int n;
	struct trace *t;
} in;

static _Noreturn void bad(const char *what)
{
	die(1, "%s is no trace of upcall: %s", in.path, what);
}

static void skip_space(void)
{
	while (*in.p == ' ' || *in.p == '\n' || *in.p == '\t' || *in.p == '\r' || *in.p == ',')
		in.p++;
}

static char unescaped(void)
{
	unsigned code = 0;

	in.p++;
	if (*in.p == 'u') {
		for (int i = 0; i < 4 && in.p[1]; i++, in.p++)
			code = code * 16 + (unsigned)(in.p[1] <= '9' ? in.p[1] - '0' : (in.p[1] | 32) - 'a' + 10);
		return (char)code;
	}
	return *in.p == 'n' ? '\n' : *in.p == 't' ? '\t' : *in.p;
}

/* Of the rest of a text that is too long nothing is kept. */
static void read_text(char *to, size_t size)
{
	size_t n = 0;

	for (in.p++; *in.p && *in.p != '"'; in.p++) {
		char c = *in.p == '\\' ? unescaped() : *in.p;

		if (!*in.p)
			break;
		if (n + 1 < size)
			to[n++] = c;
	}
	to[n] = 0;
	if (*in.p != '"')
		bad("a text does not end");
	in.p++;
}

static void read_bare(char *to, size_t size)
{
	size_t n = strcspn(in.p, ",]} \t\r\n");

	if (!n)
		bad("a value is missing");
	snprintf(to, size, "%.*s", (int)n, in.p);
	in.p += n;
}

static void read_members(int depth);

static void read_array_unused(int depth)
{
	static struct pair unused;

	for (in.p++, skip_space(); *in.p && *in.p != ']'; skip_space()) {
		if (depth > DEPTH_MAX)
			bad("too deep");
		if (*in.p == '{')
			read_members(depth + 1);
		else if (*in.p == '[')
			read_array_unused(depth + 1);
		else if (*in.p == '"')
			read_text(unused.value, sizeof(unused.value));
		else
			read_bare(unused.value, sizeof(unused.value));
	}
	in.p += *in.p == ']';
}

/* The members of an object, at '{'; a later one of the same key counts as well, but get() finds the first. */
static void read_members(int depth)
{
	if (depth > DEPTH_MAX)
		bad("too deep");
	for (in.p++, skip_space(); *in.p && *in.p != '}'; skip_space()) {
		struct pair *pair = &in.pairs[in.n < PAIRS_MAX ? in.n : PAIRS_MAX - 1];

		if (*in.p != '"')
			bad("a key is missing");
		read_text(pair->key, sizeof(pair->key));
		skip_space();
		if (*in.p++ != ':')
			bad("a colon is missing");
		skip_space();
		if (*in.p == '{') {
			read_members(depth + 1);
			continue;
		}
		if (*in.p == '[') {
			read_array_unused(depth + 1);
			continue;
		}
		if (*in.p == '"')
			read_text(pair->value, sizeof(pair->value));
		else
			read_bare(pair->value, sizeof(pair->value));
		in.n += in.n < PAIRS_MAX;
	}
	in.p += *in.p == '}';
}

static const char *get(const char *key)
{
	for (int i = 0; i < in.n; i++)
		if (!strcmp(in.pairs[i].key, key))
			return in.pairs[i].value;
	return "";
}

/* The value of an inner object, which comes after the outer one's. */
static const char *get_last(const char *key)
{
	for (int i = in.n - 1; i >= 0; i--)
		if (!strcmp(in.pairs[i].key, key))
			return in.pairs[i].value;
	return "";
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static uint64_t ns_of_us(const char *text)
{
	char *end;
	uint64_t ns = strtoull(text, &end, 10) * 1000;

	if (*end == '.')
		for (uint64_t unit = 100; *++end >= '0' && *end <= '9' && unit; unit /= 10)
			ns += unit * (uint64_t)(*end - '0');
	return ns;
}

static int16_t vproc_number(const char *text)
{
	return *text ? (int16_t)number(text) : -1;
}

static void take_span(void)
{
	const char *state = get("state"), *idle = get("idle");
	struct span s = { .begin_ns = ns_of_us(get("ts")), .vproc = vproc_number(get("vproc")), .by_vproc = -1,
			  .symbol = intern(get("symbol")) };

	s.end_ns = s.begin_ns + ns_of_us(get("dur"));
	if (s.end_ns < s.begin_ns)
		bad("a time is too large");
	if (*idle) {
		s.state = SPAN_IDLE;
		s.vproc = vproc_number(get("tid"));
		s.what = intern(idle);
		trace_add_span(in.t, &s);
		return;
	}
	if (!*state)
		return;			/* a vproc's track says what the thread's says */
	while (s.state < SPAN_IDLE && strcmp(span_state_names[s.state], state))
		s.state++;
	s.thread = (uint32_t)number(get("tid"));
	if (!s.thread)
		bad("a state is of no thread");
	s.object = number(get("object"));
	s.by = (uint32_t)number(get("by"));
	s.by_vproc = vproc_number(get("by_vproc"));
	static const char *const keys[] = { "end", "why", "kind", "call", "" };

	s.what = intern(get(keys[s.state]));
	trace_add_span(in.t, &s);
}

static void take_event(void)
{
	const char *phase = get("ph");

	if (!strcmp(phase, "X")) {
		take_span();
	} else if (!strcmp(phase, "M")) {
		const char *name = get("name"), *last = get_last("name");	/* one is of `args`, which may come first */
		bool is_first = !strcmp(name, "thread_name");

		if ((is_first || !strcmp(last, "thread_name")) && number(get("pid")) == 2)
			trace_add_thread(in.t, (uint32_t)number(get("tid")), is_first ? last : name);
	} else if (!strcmp(phase, "i")) {
		struct moment m = { .ns = ns_of_us(get("ts")), .number = number(get("number")),
				    .what = intern(get("name")), .thread = (uint32_t)number(get("thread")),
				    .vproc = number(get("pid")) == 1 ? vproc_number(get("tid")) : -1 };

		trace_add_moment(in.t, &m);
	}
}

static void take_events(void)
{
	for (in.p++, skip_space(); *in.p == '{'; skip_space()) {
		in.n = 0;
		read_members(0);
		take_event();
	}
	if (*in.p != ']')
		bad("it is cut off");
	in.p++;
}

static void take_other_data(void)
{
	in.n = 0;
	read_members(0);
	if (number(get("upcall")) != 1)
		bad("it is not of this version");
	snprintf(in.t->command, sizeof(in.t->command), "%s", get("command"));
	in.t->pid = (int)number(get("pid"));
	if (number(get("vprocs")) >= UPCALL_TRACE_RINGS)
		bad("it has too many vprocs");
	in.t->nvprocs = (unsigned)number(get("vprocs"));
	in.t->length_ns = number(get("length_ns"));
	in.t->events = number(get("events"));
	in.t->lost = number(get("lost"));
}

static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	ssize_t got;

	if (fd < 0)
		die(1, "%s: %s", path, strerror(errno));
	while (text && (got = read(fd, text + n, room - n - 1)) > 0) {
		n += (size_t)got;
		if (room - n < room / 4)
			text = realloc(text, room *= 2);
	}
	if (!text)
		die(1, "%s: out of memory", path);
	if (got < 0)
		die(1, "%s: %s", path, strerror(errno));
	text[n] = 0;
	close(fd);
	return text;
}

void trace_load(struct trace *t, const char *path)
{
	char *text = read_file(path), key[24];
	bool has_data = false;

	memset(&in, 0, sizeof(in));
	in.path = path;
	in.p = text;
	in.t = t;
	skip_space();
	if (*in.p++ != '{')
		bad("it is no JSON object");
	for (skip_space(); *in.p && *in.p != '}'; skip_space()) {
		if (*in.p != '"')
			bad("a key is missing");
		read_text(key, sizeof(key));
		skip_space();
		if (*in.p++ != ':')
			bad("a colon is missing");
		skip_space();
		if (!strcmp(key, "otherData") && *in.p == '{') {
			take_other_data();
			has_data = true;
		} else if (!strcmp(key, "traceEvents") && *in.p == '[') {
			take_events();
		} else if (*in.p == '{') {
			read_members(0);
		} else if (*in.p == '[') {
			read_array_unused(0);
		} else if (*in.p == '"') {
			read_text(in.pairs[0].value, sizeof(in.pairs[0].value));
		} else {
			read_bare(in.pairs[0].value, sizeof(in.pairs[0].value));
		}
	}
	if (*in.p != '}' || !has_data)
		bad(has_data ? "it is cut off" : "it has no otherData");
	free(text);
	trace_finish(t);
}

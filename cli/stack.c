// SPDX-License-Identifier: BSD-2-Clause
/* `upcall stack`: what the threads of a process, or of a core file, are in the middle of. */
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

#include "../src/base/option.h"
#include "look/describe.h"
#include "look/look.h"
#include "look/text.h"

/* Threads with the same stack. */
struct group {
	struct frames frames;
	size_t *members;	/* indices into the snapshot's threads */
	size_t n, room;
	uint64_t hash;
	bool has_ender;
};

static struct {
	bool is_json;
	uint32_t thread;	/* 0: all */
	struct {		/* of a core file: what ended the process */
		int signal, tid;
		const struct look_thread *thread;
	} end;
	struct group **groups;
	size_t n, room;
	struct group **table;	/* hash of them */
	size_t table_size;
} stack;

static uint64_t hash_of(const struct frames *f)
{
	uint64_t h = f->n + f->is_cut;

	for (size_t i = 0; i < f->n; i++)
		h = (h ^ f->pc[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (const char *p = f->problem; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static bool is_same(const struct frames *a, const struct frames *b)
{
	return a->n == b->n && a->is_cut == b->is_cut && !memcmp(a->pc, b->pc, a->n * sizeof(a->pc[0])) &&
	       !strcmp(a->problem, b->problem);
}

static void *must(void *memory)
{
	if (!memory)
		die(1, "out of memory");
	return memory;
}

static void grow_table(void)
{
	free(stack.table);
	stack.table_size = stack.table_size ? 2 * stack.table_size : 256;
	stack.table = must(calloc(stack.table_size, sizeof(*stack.table)));
	for (size_t i = 0; i < stack.n; i++) {
		size_t at = stack.groups[i]->hash & (stack.table_size - 1);

		while (stack.table[at])
			at = (at + 1) & (stack.table_size - 1);
		stack.table[at] = stack.groups[i];
	}
}

static struct group *group_of(const struct frames *f)
{
	uint64_t hash = hash_of(f);

	if (2 * stack.n >= stack.table_size)
		grow_table();
	size_t at = hash & (stack.table_size - 1);

	for (; stack.table[at]; at = (at + 1) & (stack.table_size - 1))
		if (stack.table[at]->hash == hash && is_same(&stack.table[at]->frames, f))
			return stack.table[at];
	struct group *g = must(calloc(1, sizeof(*g)));

	g->frames = *f;
	g->hash = hash;
	stack.table[at] = g;
	if (stack.n == stack.room) {
		stack.room = stack.room ? 2 * stack.room : 64;
		stack.groups = must(realloc(stack.groups, stack.room * sizeof(*stack.groups)));
	}
	return stack.groups[stack.n++] = g;
}

static void add(struct group *g, size_t thread)
{
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 4;
		g->members = must(realloc(g->members, g->room * sizeof(*g->members)));
	}
	g->members[g->n++] = thread;
}

static const struct snapshot *sorted;

static int by_id(const void *a, const void *b)
{
	uint32_t x = sorted->threads[*(const size_t *)a].id, y = sorted->threads[*(const size_t *)b].id;

	return x < y ? -1 : x > y;
}

/* That of the thread that ended the process first, then the largest. */
static int by_size(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->has_ender != y->has_ender)
		return x->has_ender ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return by_id(&x->members[0], &y->members[0]);
}

static void print_frames(struct target *t, const struct frames *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct line l;

		line_clear(&l);
		describe_frame(&l, t, f, i);
		printf("  %s\n", l.text);
	}
	if (f->is_cut)
		puts("  ...");
	if (f->problem[0])
		printf("  (ends here: %s)\n", printable(f->problem));
}

static void print_group(struct snapshot *s, const struct group *g)
{
	enum { NAMED = 8 };

	printf("%zu thread%s:", g->n, g->n == 1 ? "" : "s");
	for (size_t i = 0; i < g->n && i < NAMED; i++) {
		const struct look_thread *t = &s->threads[g->members[i]];

		printf("%s %u %s (%s)", i ? "," : "", t->id, printable(thread_label(s, t)), look_state_names[t->state]);
	}
	puts(g->n > NAMED ? ", ..." : "");
	print_frames(s->target, &g->frames);
	putchar('\n');
}

static void json_group(struct snapshot *s, const struct group *g, bool first)
{
	printf(first ? "\n  {\"threads\": [" : ",\n  {\"threads\": [");
	for (size_t i = 0; i < g->n; i++)
		printf(i ? ", %u" : "%u", s->threads[g->members[i]].id);
	printf("], \"frames\": [");
	for (size_t i = 0; i < g->frames.n; i++) {
		struct place p;

		find_place(s->target, &g->frames, i, &p);
		printf(i ? ",\n    {\"pc\": \"0x%" PRIx64 "\"" : "\n    {\"pc\": \"0x%" PRIx64 "\"", g->frames.pc[i]);
		json_text("symbol", *p.symbol ? p.symbol : NULL);
		json_text("file", p.file);
		json_text("source", p.source);
		json_number("line", p.source ? (uint64_t)p.line : UINT64_MAX);
		putchar('}');
	}
	printf("]");
	json_text("problem", g->frames.problem[0] ? g->frames.problem : NULL);
	putchar('}');
}

/* The kernel writes the thread that took the signal first; gdb's gcore knows of no signal. */
static bool take_end(const void *note, size_t bytes, void *arg)
{
	struct elf_prstatus status;

	(void)arg;
	if (bytes < sizeof(status))
		return false;
	memcpy(&status, note, sizeof(status));
	stack.end.signal = status.pr_cursig;
	stack.end.tid = status.pr_pid;
	return true;
}

static void find_end(const struct snapshot *s)
{
	if (s->target->pid || !target_notes(s->target, NT_PRSTATUS, take_end, NULL) || !stack.end.signal)
		return;
	for (size_t i = 0; i < s->nthreads && !stack.end.thread; i++)
		if (thread_kernel_tid(s, &s->threads[i]) == stack.end.tid)
			stack.end.thread = &s->threads[i];
}

static void print_end(struct snapshot *s)
{
	const struct look_thread *t = stack.end.thread;

	if (!stack.end.signal)
		return;
	printf("ended by signal %d (%s), ", stack.end.signal, strsignal(stack.end.signal));
	if (t)
		printf("in thread %u %s\n\n", t->id, printable(thread_label(s, t)));
	else
		printf("in kernel thread %d, which ran no thread\n\n", stack.end.tid);
}

static void json_end(void)
{
	if (!stack.end.signal)
		return;
	printf("\"ended_by\": {\"signal\": %d", stack.end.signal);
	json_number("thread", stack.end.thread ? stack.end.thread->id : UINT64_MAX);
	printf("}, ");
}

static bool has_stack(const struct look_thread *t)
{
	return t->state != LOOK_DONE && t->state != LOOK_NEW;
}

static void show(struct snapshot *s)
{
	static struct frames frames;

	wait_prepare(s);
	if (s->is_cut)
		say("the core file lacks some threads' memory (gcore gives up at guard pages: see upcall-stack(1))");
	find_end(s);
	for (size_t i = 0; i < s->nthreads; i++) {
		const struct look_thread *t = &s->threads[i];

		if (!has_stack(t) || (stack.thread && t->id != stack.thread))
			continue;
		unwind_thread(s, t, &frames);
		struct group *g = group_of(&frames);

		add(g, i);
		g->has_ender |= t == stack.end.thread;
	}
	if (stack.thread && !stack.n)
		die(1, "there is no thread %u", stack.thread);
	sorted = s;
	for (size_t i = 0; i < stack.n; i++)
		qsort(stack.groups[i]->members, stack.groups[i]->n, sizeof(size_t), by_id);
	qsort(stack.groups, stack.n, sizeof(*stack.groups), by_size);
	if (stack.is_json) {
		putchar('{');
		json_end();
		printf("\"stacks\": [");
	} else {
		print_end(s);
	}
	for (size_t i = 0; i < stack.n; i++) {
		if (stack.is_json)
			json_group(s, stack.groups[i], i == 0);
		else
			print_group(s, stack.groups[i]);
	}
	if (stack.is_json)
		puts("\n]}");
}

static void help(void)
{
	puts("usage: upcall stack [--json] PID [THREAD]\n"
	     "       upcall stack [--json] --core FILE PROGRAM [THREAD]\n"
	     "\n"
	     "Prints the call stacks of the threads of a process that upcall runs, or of its\n"
	     "core file; threads with the same stack together.  THREAD is an ID of upcall ps.\n"
	     "\n"
	     "  --json       the same as JSON\n"
	     "  --core FILE  a core file of PROGRAM instead\n"
	     "  --help       this text\n"
	     "\n"
	     "Waiting threads are read without stopping anything; a kernel thread that runs\n"
	     "one is stopped for less than a millisecond.");
}

static void read_thread(const char *text)
{
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	if (*end || end == text || !id || id > UINT32_MAX)
		die(LOOK_USAGE, "'%s' is no thread's ID; see upcall stack --help", text);
	stack.thread = (uint32_t)id;
}

int stack_main(int argc, char **argv)
{
	enum { JSON = 256, CORE };
	static const char letters[] = ":h";
	static const struct option options[] = {
		{ "json", no_argument, NULL, JSON },
		{ "core", required_argument, NULL, CORE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *core = NULL;
	static struct target t;
	struct snapshot s;
	bool ok;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case JSON: stack.is_json = true; break;
		case CORE: core = optarg; break;
		case 'h': help(); return 0;
		default: die(LOOK_USAGE, "%s; see upcall stack --help", option_problem(c, argv, letters));
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		die(LOOK_USAGE, core ? "--core FILE wants the PROGRAM that dumped it; see upcall stack --help"
				     : "which process?  see upcall stack --help");
	if (argc - optind == 2)
		read_thread(argv[optind + 1]);
	ok = core ? target_open_core(&t, core, argv[optind]) : target_open_pid(&t, read_pid(argv[optind], "stack"));
	if (!ok || !snapshot_take(&s, &t) || !unwind_begin(&s))
		die(1, core ? "core file %s: %s" : "process %s: %s", core ? core : argv[optind], t.problem);
	show(&s);
	target_close(&t);
	return 0;
}

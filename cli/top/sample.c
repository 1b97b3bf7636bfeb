// SPDX-License-Identifier: BSD-2-Clause
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../look/kernel.h"
#include "../look/look.h"
#include "../look/unwind.h"
#include "../look/wait.h"

/* CPU time at the last look, of a thread (its id) or a kernel thread (its tid). */
struct cpu_seen {
	uint32_t id;
	uint64_t ns;
};

const char *const counter_names[C_ALL] = {
	"switches", "parks", "io_waits", "steals", "preemptions", "wakeups", "upcalls_blocked",
	"upcalls_added", "upcalls_unblocked", "upcalls_preempted", "threads",
};

/* As the library's table calls them. */
static const char *const entry_names[C_ALL] = {
	"switches", "parks", "io_waits", "steals", "preemptions", "wakeups", "upcalls.blocked.",
	"upcalls.added.", "upcalls.unblocked.", "upcalls.preempted.", "threads",
};

/* The round that goes on. */
static struct {
	struct top *top;
	pid_t shown;
} visit;

static void *must(void *memory)
{
	if (!memory)
		die(1, "out of memory");
	return memory;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int by_id(const void *a, const void *b)
{
	const struct cpu_seen *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* What it had used at the last look; 0 for one that is new. */
static uint64_t seen_ns(const struct cpu_seen *seen, size_t n, uint32_t id)
{
	struct cpu_seen key = { .id = id };
	const struct cpu_seen *found = seen ? bsearch(&key, seen, n, sizeof(key), by_id) : NULL;

	return found ? found->ns : 0;
}

/* A counter of a process that was not looked at before has no rate yet. */
static void advance(struct rate *r, uint64_t count, double seconds)
{
	uint64_t before = r->count;

	r->count = count;
	r->per_s = seconds > 0 && count != UINT64_MAX && count >= before ? (double)(count - before) / seconds : -1;
}

static double share(uint64_t now, uint64_t before, double seconds)
{
	/* Two looks at what changes meanwhile may disagree by a little. */
	if (now < before)
		now = before;
	return seconds > 0 && now != UINT64_MAX ? (double)(now - before) / 1e9 / seconds : -1;
}

static uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return UINT64_MAX;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* An activation's kernel thread: what it used is its vproc's. */
static void add_task(struct top_process *p, const struct look_activation *a, struct cpu_seen *now)
{
	uint64_t ns = kernel_cpu_ns(p->pid, a->tid), before = seen_ns(p->tasks, p->ntasks, (uint32_t)a->tid);

	*now = (struct cpu_seen){ (uint32_t)a->tid, ns == UINT64_MAX ? before : ns };
	for (size_t i = 0; i < p->nvprocs; i++) {
		struct top_vproc *vp = &p->vprocs[i];

		if (p->snapshot.vprocs[i].address == a->vproc && vp->busy >= 0 && now->ns >= before)
			vp->busy += (double)(now->ns - before) / 1e9 / p->seconds;
	}
}

static bool carries_bound(struct top_process *p, const struct look_activation *a)
{
	uint64_t kind = 0;
	struct field f = target_field(&p->target, "thread.kind");

	if (a->thread)
		kind = target_read_word(&p->target, a->thread + f.offset, f.bytes);
	return a->thread && kind == target_value(&p->target, "kind.bound", UINT64_MAX);
}

static void sample_activations(struct top_process *p)
{
	const struct snapshot *s = &p->snapshot;
	struct cpu_seen *now = must(malloc((s->nactivations + 1) * sizeof(*now)));
	size_t n = 0;

	p->running = p->blocked = p->spare = 0;
	for (size_t i = 0; i < p->nvprocs; i++)
		p->vprocs[i].busy = p->seconds > 0 ? 0 : -1;
	for (size_t i = 0; i < s->nactivations; i++) {
		const struct look_activation *a = &s->activations[i];

		if (!a->owns && carries_bound(p, a))
			continue;
		p->running += a->owns;
		p->blocked += !a->owns && a->is_lost;
		p->spare += !a->owns && !a->is_lost;
		add_task(p, a, &now[n++]);
	}
	qsort(now, n, sizeof(*now), by_id);
	free(p->tasks);
	p->tasks = now;
	p->ntasks = n;
}

/* Ready threads in the queue of one vproc; the inbox is a list that others add to: it counts as one. */
static uint64_t queue_length(const struct target *t, const char *vproc)
{
#define WORD(name) field_get(target_field(t, "vproc.runq." name), vproc)
	return (WORD("lifo") != 0) + (WORD("inbox") != 0) + WORD("overflow_count") +
	       (uint32_t)(WORD("hot.tail") - WORD("hot.head")) + (uint32_t)(WORD("cold.tail") - WORD("cold.head"));
#undef WORD
}

static const char *state_of(const struct target *t, const char *vproc, uint32_t thread)
{
	const char *wake = target_name_of(t, "wake.", field_get(target_field(t, "vproc.wake"), vproc));

	if (wake && !strcmp(wake, "off"))
		return "off";
	/* Its thread blocks in the kernel, and nothing else is there to run. */
	if (wake && !strcmp(wake, "blocked"))
		return "blocked";
	return thread ? "running" : "idle";
}

static uint32_t thread_of(struct top_process *p, size_t vproc)
{
	const struct look_activation *a = snapshot_activation(&p->snapshot, p->snapshot.vprocs[vproc].owner);
	struct field id = target_field(&p->target, "thread.id");

	return a && a->thread ? (uint32_t)target_read_word(&p->target, a->thread + id.offset, id.bytes) : 0;
}

static bool sample_vprocs(struct top_process *p)
{
	struct target *t = &p->target;
	size_t bytes = target_size(t, "vproc"), n = p->snapshot.nvprocs;
	char *raw = must(malloc(n * bytes + 1));
	bool ok = !n || target_read(t, p->snapshot.vprocs[0].address, raw, n * bytes);

	if (n != p->nvprocs) {
		free(p->vprocs);
		p->vprocs = must(calloc(n + 1, sizeof(*p->vprocs)));
		p->nvprocs = n;
		p->seconds = 0;		/* it has just started: no rates yet */
	}
	p->queue = 0;
	for (size_t i = 0; ok && i < n; i++) {
		struct top_vproc *vp = &p->vprocs[i];
		const char *one = raw + i * bytes;

		vp->id = p->snapshot.vprocs[i].id;
		vp->cpu = p->snapshot.vprocs[i].cpu;
		vp->queue = queue_length(t, one);
		vp->thread = thread_of(p, i);
		vp->state = state_of(t, one, vp->thread);
		p->queue += vp->queue;
		for (int c = 0; c < C_PER_VPROC; c++) {
			struct field f = target_vproc_counter(t, entry_names[c]);

			advance(&vp->rates[c], f.bytes ? field_get(f, one) : UINT64_MAX, p->seconds);
		}
	}
	free(raw);
	return ok;
}

static void sample_counters(struct top_process *p)
{
	for (int c = 0; c < C_ALL; c++) {
		const struct upcall_entry *e = target_entry(&p->target, entry_names[c]);
		uint64_t count = 0;

		for (size_t i = 0; i < p->nvprocs && c < C_PER_VPROC; i++)
			count += p->vprocs[i].rates[c].count;
		if (c >= C_PER_VPROC)
			count = e ? target_global(&p->target, entry_names[c]) + (uint64_t)(int64_t)e->bias : UINT64_MAX;
		advance(&p->rates[c], e ? count : UINT64_MAX, p->seconds);
	}
	p->live = target_global(&p->target, "threads_live");
}

/* Their CPU time at this walk, and what they used since the last. */
static void sample_threads(struct top_process *p)
{
	struct snapshot *s = &p->snapshot;
	struct cpu_seen *now = must(malloc((s->nthreads + 1) * sizeof(*now)));
	uint64_t io = target_value(&p->target, "wait.io", UINT64_MAX);

	memset(p->states, 0, sizeof(p->states));
	p->io_waiters = 0;
	p->threads = must(realloc(p->threads, (s->nthreads + 1) * sizeof(*p->threads)));
	for (size_t i = 0; i < s->nthreads; i++) {
		struct look_thread *t = &s->threads[i];
		struct wait_info w;

		if (t->state == LOOK_RUNNING)
			wait_of(s, t, &w);	/* it may turn out to be blocked */
		p->states[t->state]++;
		p->io_waiters += t->wait_key && t->wait_kind == io;
		now[i] = (struct cpu_seen){ t->id, thread_cpu_ns(s, t) };
		p->threads[i].t = t;
		p->threads[i].cpu = p->seen ? share(now[i].ns, seen_ns(p->seen, p->nseen, t->id), p->walk_seconds) : -1;
	}
	qsort(now, s->nthreads, sizeof(*now), by_id);
	free(p->seen);
	p->seen = now;
	p->nseen = s->nthreads;
}

static void forget(struct top_process *p)
{
	snapshot_free(&p->snapshot);
	target_close(&p->target);
	free(p->vprocs);
	free(p->tasks);
	free(p->threads);
	free(p->seen);
	free(p);
}

/* A program that was replaced by another (exec) has no page there, or another one. */
static bool is_same(struct top_process *p)
{
	struct upcall_page page;

	if (!target_page_again(&p->target, &page) || page.entries != p->target.page.entries)
		return false;
	memcpy(p->target.page.source, page.source, sizeof(page.source));	/* who tells of blocks may change */
	p->target.page.source[sizeof(page.source) - 1] = 0;
	return true;
}

/* Walking should not take more than a tenth of the time. */
static bool is_time_to_walk(const struct top_process *p, uint64_t now)
{
	return !p->walked_ns || now - p->walked_ns > 10 * p->walk_ns;
}

static bool walk(struct top_process *p)
{
	uint64_t began = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t before_ns = p->has_threads ? p->walked_ns : 0;

	snapshot_free(&p->snapshot);
	if (!snapshot_take(&p->snapshot, &p->target))
		return false;
	p->walk_seconds = before_ns ? (double)(p->snapshot.now_ns - before_ns) / 1e9 : 0;
	wait_prepare(&p->snapshot);
	sample_threads(p);
	p->has_threads = true;
	p->walked_ns = p->snapshot.now_ns;
	p->walk_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began;
	return true;
}

static bool sample(struct top_process *p, bool with_threads)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu_ns = process_cpu_ns(p->pid);

	if (!is_same(p))
		return false;
	p->seconds = p->at_ns ? (double)(now - p->at_ns) / 1e9 : 0;
	p->cpu = share(cpu_ns, p->cpu_ns, p->seconds);
	p->cpu_ns = cpu_ns;
	if (!with_threads) {
		p->has_threads = false;
		p->walked_ns = 0;
		free(p->seen);
		p->seen = NULL;
	}
	if (with_threads && (visit.top->is_thorough || is_time_to_walk(p, now))) {
		if (!walk(p))
			return false;
	} else if (!snapshot_take_carriers(&p->snapshot, &p->target)) {
		return false;
	}
	if (!sample_vprocs(p))
		return false;
	sample_activations(p);
	sample_counters(p);
	p->at_ns = now;
	return true;
}

struct top_process *top_process(const struct top *top, pid_t pid)
{
	for (size_t i = 0; i < top->n; i++)
		if (top->processes[i]->pid == pid)
			return top->processes[i];
	return NULL;
}

static struct top_process *open_process(struct top *top, pid_t pid)
{
	struct top_process *p = must(calloc(1, sizeof(*p)));

	p->pid = pid;
	p->snapshot.target = &p->target;
	if (!target_open_pid(&p->target, pid)) {
		/* One that ended meanwhile is of no interest. */
		if (top->pids || pid_has_library(pid)) {
			top->nclosed++;
			snprintf(top->problem, sizeof(top->problem), "process %d: %s", (int)pid, p->target.problem);
		}
		forget(p);
		return NULL;
	}
	top->processes = must(realloc(top->processes, (top->n + 1) * sizeof(*top->processes)));
	return top->processes[top->n++] = p;
}

static void drop(struct top *top, struct top_process *p)
{
	size_t at = 0;

	while (top->processes[at] != p)
		at++;
	top->processes[at] = top->processes[--top->n];
	forget(p);
}

static void look_at(pid_t pid, void *arg)
{
	struct top_process *p = top_process(visit.top, pid);
	bool with_threads = visit.shown == pid || visit.shown == -1;

	(void)arg;
	if (p && sample(p, with_threads)) {
		p->is_seen = true;
		return;
	}
	/* It has ended, or is another program now. */
	if (p)
		drop(visit.top, p);
	p = open_process(visit.top, pid);
	if (p)
		p->is_seen = sample(p, with_threads);
}

static int by_cpu(const void *a, const void *b)
{
	const struct top_process *x = *(struct top_process *const *)a, *y = *(struct top_process *const *)b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

void top_sample(struct top *top, pid_t shown)
{
	size_t kept = 0;

	unwind_let_go();
	visit.top = top;
	visit.shown = shown;
	top->nclosed = 0;
	for (size_t i = 0; i < top->n; i++)
		top->processes[i]->is_seen = false;
	if (top->pids)
		for (size_t i = 0; i < top->npids; i++)
			look_at(top->pids[i], NULL);
	else
		each_process(look_at, NULL);
	for (size_t i = 0; i < top->n; i++) {
		if (top->processes[i]->is_seen)
			top->processes[kept++] = top->processes[i];
		else
			forget(top->processes[i]);
	}
	top->n = kept;
	if (kept)
		qsort(top->processes, kept, sizeof(*top->processes), by_cpu);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"

/* More threads, or activations, than these are a lie. */
enum { BATCH = 64, CACHE = 1024, RETRIES = 20, ACTIVATIONS_MAX = 1 << 17, THREADS_MAX = 1 << 22, PROBES_MAX = 128 };

const char *const look_state_names[LOOK_STATES] = {
	"new", "ready", "running", "parked", "kernel", "bound", "done",
};

/* The fields of a descriptor, found in the target's table once. */
static struct {
	struct field sp, tls, act, start, state, kind, wait_key, wait_arg, wait_seq, wait_kind, wait_deadline_ns;
	struct field id, tid, name, link, life, stack_low, stack_bytes, guard_bytes, stack_start;
	struct field user_stack, user_stack_bytes, cpu_ticks, left_ticks;
	size_t bytes;
	uint64_t s_new, s_ready, s_running, s_kernel, s_parking, s_notified, s_parked, s_done;
	uint64_t bound, reaped, k_mutex, k_rwlock, k_join;
} at;

/* Descriptors are read no further than what is of use here. */
static struct field find_field(const struct target *t, const char *name)
{
	struct field f = target_field(t, name);

	if ((size_t)f.offset + f.bytes > at.bytes)
		at.bytes = (size_t)f.offset + f.bytes;
	return f;
}

static bool find_fields(const struct target *t)
{
	at.bytes = 0;
#define FIND(member, name) at.member = find_field(t, "thread." name)
	FIND(sp, "sp"), FIND(tls, "tls"), FIND(act, "act"), FIND(start, "start");
	FIND(state, "state"), FIND(kind, "kind"), FIND(wait_key, "wait_key"), FIND(wait_arg, "wait_arg");
	FIND(wait_seq, "wait_seq"), FIND(wait_kind, "wait_kind");
	FIND(wait_deadline_ns, "wait_deadline_ns"), FIND(id, "id"), FIND(tid, "tid");
	FIND(name, "name"), FIND(link, "all_link"), FIND(life, "life"), FIND(stack_low, "stack_low");
	FIND(stack_bytes, "stack_bytes"), FIND(guard_bytes, "guard_bytes");
	FIND(stack_start, "stack_start"), FIND(user_stack, "user_stack");
	FIND(user_stack_bytes, "user_stack_bytes"), FIND(cpu_ticks, "cpu_ticks");
	FIND(left_ticks, "left_ticks");
#undef FIND
	at.s_new = target_value(t, "state.new", ~0ul);
	at.s_ready = target_value(t, "state.ready", ~0ul);
	at.s_running = target_value(t, "state.running", ~0ul);
	at.s_kernel = target_value(t, "state.kernel", ~0ul);
	at.s_parking = target_value(t, "state.parking", ~0ul);
	at.s_notified = target_value(t, "state.notified", ~0ul);
	at.s_parked = target_value(t, "state.parked", ~0ul);
	at.s_done = target_value(t, "state.done", ~0ul);
	at.bound = target_value(t, "kind.bound", ~0ul);
	at.reaped = target_value(t, "life.reaped", 0);
	at.k_mutex = target_value(t, "wait.mutex", ~0ul);
	at.k_rwlock = target_value(t, "wait.rwlock", ~0ul);
	at.k_join = target_value(t, "wait.join", ~0ul);
	return at.bytes && at.bytes < 65536 && at.link.bytes >= 8 && at.state.bytes && at.id.bytes;
}

static enum look_state state_of(uint64_t state, bool is_bound)
{
	if (state == at.s_done)
		return LOOK_DONE;
	if (is_bound)
		return LOOK_BOUND;
	if (state == at.s_new)
		return LOOK_NEW;
	if (state == at.s_ready || state == at.s_notified)
		return LOOK_READY;
	if (state == at.s_running)
		return LOOK_RUNNING;
	return state == at.s_kernel ? LOOK_KERNEL : LOOK_PARKED;
}

/* False: a descriptor that nobody uses now. */
static bool decode(uint64_t address, const char *raw, struct look_thread *t)
{
	uint64_t state = field_get(at.state, raw);
	bool is_bound = field_get(at.kind, raw) == at.bound;

	if (state == at.s_done && (field_get(at.life, raw) & at.reaped))
		return false;
	*t = (struct look_thread){
		.address = address,
		.sp = field_get(at.sp, raw), .tls = field_get(at.tls, raw),
		.act = field_get(at.act, raw), .start = field_get(at.start, raw),
		.wait_key = field_get(at.wait_key, raw), .wait_arg = field_get(at.wait_arg, raw),
		.wait_deadline_ns = field_get(at.wait_deadline_ns, raw),
		.cpu_ticks = field_get(at.cpu_ticks, raw), .left_ticks = field_get(at.left_ticks, raw),
		.stack_low = field_get(at.stack_low, raw),
		.stack_bytes = field_get(at.stack_bytes, raw),
		.guard_bytes = field_get(at.guard_bytes, raw),
		.stack_start = field_get(at.stack_start, raw),
		.id = (uint32_t)field_get(at.id, raw), .wait_seq = (uint32_t)field_get(at.wait_seq, raw),
		.tid = (int)field_get(at.tid, raw), .wait_kind = (uint8_t)field_get(at.wait_kind, raw),
		.state = (uint8_t)state_of(state, is_bound), .is_user = !is_bound,
		.is_switched_out = !is_bound && (state == at.s_ready || state == at.s_parked ||
						 state == at.s_new),
	};
	if (!t->stack_low)		/* stacks of one size are passed on */
		t->stack_low = t->stack_start - t->stack_bytes;
	if (field_get(at.user_stack, raw)) {
		t->stack_low = field_get(at.user_stack, raw);
		t->stack_bytes = field_get(at.user_stack_bytes, raw);
		t->guard_bytes = 0;
		t->stack_start = t->stack_low + t->stack_bytes;
	}
	memcpy(t->name, raw + at.name.offset, at.name.bytes < sizeof(t->name) ? at.name.bytes : sizeof(t->name));
	t->name[sizeof(t->name) - 1] = 0;
	return true;
}

static bool same(struct field f, const char *a, const char *b)
{
	return !memcmp(a + f.offset, b + f.offset, f.bytes);
}

static bool is_stable(const char *a, const char *b)
{
	return same(at.state, a, b) && same(at.wait_seq, a, b) && same(at.wait_key, a, b) &&
	       same(at.wait_kind, a, b) && same(at.sp, a, b) && same(at.id, a, b) && same(at.act, a, b);
}

/* One descriptor, at one instant; the list's link is good in any copy. */
static bool read_stable(const struct target *t, uint64_t address, char *copy, char *second)
{
	for (int i = 0; i < RETRIES; i++) {
		if (!target_read(t, address, copy, at.bytes) || !target_read(t, address, second, at.bytes))
			return false;
		if (is_stable(copy, second))
			return true;
	}
	return true;		/* it changes all the time: the last look */
}

/* A copy that needs no second look. */
static bool is_settled(const char *copy)
{
	uint64_t kind = field_get(at.wait_kind, copy);

	return field_get(at.state, copy) == at.s_parked && kind != at.k_mutex && kind != at.k_rwlock &&
	       kind != at.k_join;
}

/*
 * Descriptors read ahead.  They follow each other in the list as their stacks do in memory, in slabs
 * of equal slots, so the next ones are guessed to be one stack apart; a wrong guess costs nothing.
 */
static struct {
	uint64_t *addresses;
	char *copies;		/* CACHE of them */
	char *spare;		/* one */
} ahead;

static bool ahead_init(void)
{
	ahead.addresses = calloc(CACHE, sizeof(*ahead.addresses));
	ahead.copies = malloc(CACHE * at.bytes);
	ahead.spare = malloc(at.bytes);
	return ahead.addresses && ahead.copies && ahead.spare;
}

static void ahead_fini(void)
{
	free(ahead.addresses);
	free(ahead.copies);
	free(ahead.spare);
	memset(&ahead, 0, sizeof(ahead));
}

static size_t ahead_slot(uint64_t address)
{
	return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 54) % CACHE;
}

static void read_ahead(const struct target *t, uint64_t address, uint64_t stride)
{
	uint64_t wanted[BATCH];
	char *places[BATCH];
	size_t n = stride ? BATCH : 1;

	for (size_t i = 0; i < n; i++) {
		wanted[i] = address + i * stride;
		size_t slot = ahead_slot(wanted[i]);

		places[i] = ahead.copies + slot * at.bytes;
		ahead.addresses[slot] = 0;
	}
	n = target_read_many(t, wanted, places, n, at.bytes);
	/* Of two that share a slot the later one overwrote the other, here as there. */
	for (size_t i = 0; i < n; i++)
		ahead.addresses[ahead_slot(wanted[i])] = wanted[i];
}

static const char *descriptor(const struct target *t, uint64_t address, uint64_t stride)
{
	size_t slot = ahead_slot(address);
	char *copy = ahead.copies + slot * at.bytes;

	if (ahead.addresses[slot] != address)
		read_ahead(t, address, stride);
	if (ahead.addresses[slot] != address)
		return NULL;
	if (!is_settled(copy) && !read_stable(t, address, copy, ahead.spare))
		return NULL;
	return copy;
}

static int by_address(const void *a, const void *b)
{
	const struct look_thread *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Sorted by address, which the order of the list often is. */
static void sort_threads(struct snapshot *s)
{
	size_t i = 1;

	while (i < s->nthreads && s->threads[i - 1].address < s->threads[i].address)
		i++;
	if (i < s->nthreads)
		qsort(s->threads, s->nthreads, sizeof(*s->threads), by_address);
}

/*
 * A walk along a list that may lead in a circle: each node is compared with one that was met earlier,
 * the 1st, 2nd, 4th, 8th ..., so a circle of n is noticed before it was gone round three times.
 */
struct walk {
	uint64_t mark;
	size_t steps, next_mark;
};

static bool is_circle(struct walk *w, uint64_t node)
{
	if (w->steps && node == w->mark)
		return true;
	if (w->steps++ == w->next_mark) {
		w->mark = node;
		w->next_mark = 2 * w->steps;
	}
	return false;
}

static struct look_thread *next_thread_slot(struct snapshot *s, size_t *room)
{
	if (s->nthreads == *room) {
		*room = *room ? 2 * *room : 256;
		struct look_thread *more = realloc(s->threads, *room * sizeof(*more));

		if (!more)
			return NULL;
		s->threads = more;
	}
	return &s->threads[s->nthreads];
}

static bool read_threads(struct snapshot *s)
{
	struct target *t = s->target;
	uint64_t head = target_value(t, "threads.all", 0), node = target_read_word(t, head, 8);
	uint64_t stride = 0;
	uint64_t created = target_global(t, "threads");
	size_t room = 0, seen = 0, most = 1024 + (size_t)(created < THREADS_MAX ? created : THREADS_MAX);
	struct walk walk = { 0 };

	while (node && node != head && seen++ < most) {
		uint64_t address = node - at.link.offset;
		const char *raw = descriptor(t, address, stride);
		struct look_thread *slot = next_thread_slot(s, &room);

		if (!slot || (!raw && t->pid) || is_circle(&walk, node))
			return false;
		if (!raw)
			break;
		uint64_t next;

		memcpy(&next, raw + at.link.offset, 8);
		uint64_t gap = next - node;

		/* Backwards at the end of a slab: the next slab has the same stride. */
		if (gap < UINT64_C(1) << 36)
			stride = gap;
		if (field_get(at.id, raw) && decode(address, raw, slot))
			s->nthreads++;
		node = next;
	}
	s->is_cut = node != head && !t->pid;
	return seen < THREADS_MAX;
}

static void index_tids(struct snapshot *s)
{
	for (s->by_tid_size = 64; s->by_tid_size < 2 * s->nthreads + 2;)
		s->by_tid_size *= 2;
	s->by_tid = calloc(s->by_tid_size, sizeof(*s->by_tid));
	for (size_t i = 0; s->by_tid && i < s->nthreads; i++) {
		size_t h = (uint32_t)s->threads[i].tid * 2654435761u & (s->by_tid_size - 1);

		int probes = 0;

		/* Tids that were chosen to be in each other's way are not worth the time. */
		while (s->by_tid[h] && probes++ < PROBES_MAX)
			h = (h + 1) & (s->by_tid_size - 1);
		if (!s->by_tid[h])
			s->by_tid[h] = (uint32_t)i + 1;
	}
}

struct look_thread *snapshot_by_tid(const struct snapshot *s, int tid)
{
	size_t h = (uint32_t)tid * 2654435761u & (s->by_tid_size - 1);

	for (int i = 0; s->by_tid && s->by_tid[h] && i <= PROBES_MAX; i++, h = (h + 1) & (s->by_tid_size - 1))
		if (s->threads[s->by_tid[h] - 1].tid == tid)
			return &s->threads[s->by_tid[h] - 1];
	return NULL;
}

struct look_thread *snapshot_by_address(const struct snapshot *s, uint64_t address)
{
	struct look_thread key = { .address = address };

	return bsearch(&key, s->threads, s->nthreads, sizeof(key), by_address);
}

struct look_thread *snapshot_by_id(const struct snapshot *s, uint32_t id)
{
	for (size_t i = 0; i < s->nthreads; i++)
		if (s->threads[i].id == id)
			return &s->threads[i];
	return NULL;
}

const struct look_vproc *snapshot_vproc(const struct snapshot *s, uint64_t address)
{
	for (size_t i = 0; i < s->nvprocs; i++)
		if (s->vprocs[i].address == address)
			return &s->vprocs[i];
	return NULL;
}

static bool read_vprocs(struct snapshot *s)
{
	struct target *t = s->target;
	uint64_t base;
	size_t bytes, n = target_vprocs(t, &base, &bytes);
	struct field owner = target_field(t, "vproc.owner"), id = target_field(t, "vproc.id");
	struct field cpu = target_field(t, "vproc.cpu");

	if (!n)
		return true;
	char *raw = malloc(n * bytes);

	s->vprocs = calloc(n, sizeof(*s->vprocs));
	if (!raw || !s->vprocs || !target_read(t, base, raw, n * bytes)) {
		free(raw);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		const char *one = raw + i * bytes;

		s->vprocs[i] = (struct look_vproc){ base + i * bytes, field_get(owner, one) & ~UINT64_C(1),
						    (unsigned)field_get(id, one), (int)field_get(cpu, one) };
	}
	s->nvprocs = n;
	free(raw);
	return true;
}

static int activations_by_address(const void *a, const void *b)
{
	const struct look_activation *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

const struct look_activation *snapshot_activation(const struct snapshot *s, uint64_t address)
{
	struct look_activation key = { .address = address };

	return s->activations ? bsearch(&key, s->activations, s->nactivations, sizeof(key),
					activations_by_address) : NULL;
}

/* The list is short, and structures of it are never unmapped. */
static bool read_activations(struct snapshot *s)
{
	struct target *t = s->target;
	size_t bytes = target_size(t, "activation"), room = 0;
	struct walk walk = { 0 };
	struct field link = target_field(t, "activation.all_link");
	struct field thread = target_field(t, "activation.thread");
	struct field vproc = target_field(t, "activation.vproc");
	struct field tsc = target_field(t, "activation.tsc"), tid = target_field(t, "activation.tid");
	struct field alive = target_field(t, "activation.alive");
	struct field is_lost = target_field(t, "activation.is_lost");
	uint64_t head = target_value(t, "sched.activations", 0), node = target_read_word(t, head, 8);
	char *raw = bytes && link.bytes >= 8 ? malloc(bytes) : NULL;
	bool is_sound = true;

	while (raw && node && node != head) {
		is_sound = !is_circle(&walk, node) && walk.steps < ACTIVATIONS_MAX;
		if (!is_sound)
			break;
		uint64_t address = node - link.offset;

		if (!target_read(t, address, raw, bytes))
			break;
		memcpy(&node, raw + link.offset, 8);
		if (!field_get(alive, raw))
			continue;
		if (s->nactivations == room) {
			room = room ? 2 * room : 64;
			s->activations = realloc(s->activations, room * sizeof(*s->activations));
			if (!s->activations)
				break;
		}
		struct look_activation a = {
			.address = address, .thread = field_get(thread, raw),
			.vproc = field_get(vproc, raw), .tsc = field_get(tsc, raw),
			.tid = kernel_tid_here(t->pid, (int)field_get(tid, raw)), .is_lost = field_get(is_lost, raw) != 0,
		};
		const struct look_vproc *vp = snapshot_vproc(s, a.vproc);

		a.owns = vp && vp->owner == address;
		s->activations[s->nactivations++] = a;
	}
	free(raw);
	if (s->activations)
		qsort(s->activations, s->nactivations, sizeof(*s->activations), activations_by_address);
	return is_sound;
}

static uint64_t tick_now(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* Ticks to time: over the whole run where there is a now, else by the runtime's own calibration. */
static void read_clock(struct snapshot *s)
{
	struct target *t = s->target;
	uint64_t poll_ticks = target_global(t, "sched.poll_ticks");
	uint64_t start_ticks = target_global(t, "sched.start_ticks");
	struct timespec ts;

	if (poll_ticks)
		s->ns_per_tick = (double)target_value(t, "sched.poll_ns", 0) / (double)poll_ticks;
	if (!t->pid || !start_ticks)
		return;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	s->now_ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	s->now_ticks = tick_now();
	if (s->now_ticks > start_ticks)
		s->ns_per_tick = (double)(s->now_ns - target_global(t, "sched.start_ns")) /
				 (double)(s->now_ticks - start_ticks);
}

static void last_tick(struct snapshot *s)
{
	for (size_t i = 0; i < s->nactivations; i++)
		if (s->activations[i].tsc > s->now_ticks)
			s->now_ticks = s->activations[i].tsc;
	for (size_t i = 0; i < s->nthreads; i++)
		if (s->threads[i].left_ticks > s->now_ticks)
			s->now_ticks = s->threads[i].left_ticks;
}

/* A thread that has a kernel thread of its own may have its name only there. */
static void read_bound_names(struct snapshot *s)
{
	for (size_t i = 0; i < s->nthreads; i++) {
		struct look_thread *one = &s->threads[i];

		if (one->state == LOOK_BOUND && !one->name[0] && one->id != 1)
			kernel_task_name(s->target->pid, thread_kernel_tid(s, one), one->name, sizeof(one->name));
	}
}

static bool read_carriers(struct snapshot *s)
{
	kernel_forget_tids();
	s->is_started = target_global(s->target, "sched.is_started") != 0;
	s->monitor_tid = kernel_tid_here(s->target->pid, (int)target_global(s->target, "monitor.tid"));
	s->clerk_tid = kernel_tid_here(s->target->pid, (int)target_global(s->target, "clerk.tid"));
	return read_vprocs(s) && read_activations(s);
}

bool snapshot_take_carriers(struct snapshot *s, struct target *t)
{
	free(s->activations);
	free(s->vprocs);
	s->activations = NULL;
	s->vprocs = NULL;
	s->nactivations = s->nvprocs = 0;
	s->target = t;
	if (!read_carriers(s))
		return false;
	read_clock(s);
	return true;
}

static const struct look_activation *carrier(const struct snapshot *s, const struct look_thread *t)
{
	const struct look_activation *a = snapshot_activation(s, t->act);

	return a && a->thread == t->address ? a : NULL;
}

/*
 * What a thread that runs has used is in two places: what it had used when it came to its activation,
 * and when that was.  They are read until they belong together.
 */
static void read_run(struct snapshot *s, struct look_thread *t, struct field tsc)
{
	const struct look_activation *a = carrier(s, t);

	for (int i = 0; a && i < RETRIES; i++) {
		uint64_t run_ticks = target_read_word(s->target, a->address + tsc.offset, tsc.bytes);
		uint64_t cpu_ticks = target_read_word(s->target, t->address + at.cpu_ticks.offset, at.cpu_ticks.bytes);

		if (run_ticks == t->run_ticks && cpu_ticks == t->cpu_ticks)
			return;
		t->run_ticks = run_ticks;
		t->cpu_ticks = cpu_ticks;
	}
}

static void read_runs(struct snapshot *s)
{
	struct field tsc = target_field(s->target, "activation.tsc");

	for (size_t i = 0; i < s->nthreads; i++)
		if (s->threads[i].state == LOOK_RUNNING || s->threads[i].state == LOOK_KERNEL)
			read_run(s, &s->threads[i], tsc);
}

bool snapshot_take(struct snapshot *s, struct target *t)
{
	*s = (struct snapshot){ .target = t };
	bool ok = find_fields(t) && ahead_init();

	if (ok)
		ok = read_carriers(s) && read_threads(s);
	ahead_fini();
	if (!ok) {
		snprintf(t->problem, sizeof(t->problem), "its threads cannot be read, or its page makes no sense");
		snapshot_free(s);
		return false;
	}
	sort_threads(s);
	read_runs(s);
	read_clock(s);
	index_tids(s);
	if (t->pid)
		read_bound_names(s);
	else
		last_tick(s);
	return true;
}

void snapshot_free(struct snapshot *s)
{
	free(s->threads);
	free(s->activations);
	free(s->vprocs);
	free(s->by_tid);
	*s = (struct snapshot){ .target = s->target };
}

bool snapshot_reread(const struct snapshot *s, uint64_t address, struct look_thread *ret)
{
	char *copy = malloc(2 * at.bytes);
	bool ok = copy && read_stable(s->target, address, copy, copy + at.bytes) && decode(address, copy, ret);

	free(copy);
	return ok;
}

uint64_t snapshot_ns(const struct snapshot *s, uint64_t ticks)
{
	return (uint64_t)((double)ticks * s->ns_per_tick);
}

int thread_kernel_tid(const struct snapshot *s, const struct look_thread *t)
{
	const struct look_activation *a;

	if (t->state != LOOK_RUNNING && t->state != LOOK_KERNEL && t->state != LOOK_BOUND)
		return 0;
	/* One that was bound after it had run still has the tid that was made up for it. */
	a = carrier(s, t);
	return a ? a->tid : t->state == LOOK_BOUND ? kernel_tid_here(s->target->pid, t->tid) : 0;
}

uint64_t thread_cpu_ns(const struct snapshot *s, const struct look_thread *t)
{
	uint64_t ticks = t->cpu_ticks;

	if (t->state == LOOK_BOUND)
		return s->target->pid ? kernel_cpu_ns(s->target->pid, thread_kernel_tid(s, t)) : snapshot_ns(s, ticks);
	if (t->state == LOOK_RUNNING && t->run_ticks && s->now_ticks > t->run_ticks)
		ticks += s->now_ticks - t->run_ticks;
	return snapshot_ns(s, ticks);
}

uint64_t thread_for_ns(const struct snapshot *s, const struct look_thread *t)
{
	uint64_t since = t->left_ticks;

	if (t->state == LOOK_RUNNING || t->state == LOOK_KERNEL)
		since = t->run_ticks;
	return since && s->now_ticks > since ? snapshot_ns(s, s->now_ticks - since) : UINT64_MAX;
}

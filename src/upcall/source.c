// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "../sys/probe.h"
#include "../sys/setting.h"
#include "../trace/page.h"
#include "source.h"

/* Best first. */
static const struct source *const sources[] = { &source_scx, &source_bpf, &source_perf, &source_look };
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

/* The program waits for its first answer; later it is the monitor that waits, and slices get long. */
enum { FIRST_PATIENCE_MS = 500, PATIENCE_MS = 50 };

static struct {
	bool is_wanted;			/* by UPCALL_SOURCE and UPCALL_DISABLE */
	struct au32 is_up;
} state[SOURCES];

static bool is_named;			/* by UPCALL_SOURCE */
static uint64_t events_due_ns;

/* By the monitor, while none of those that can go away is up: when they are tried again, all at once. */
static const uint64_t retry_min_ns = NS_PER_S, retry_max_ns = 16 * NS_PER_S;
static uint64_t retry_at_ns, retry_ns;

struct au32 source_generation;		/* grows whenever an activation may have to move */

void source_configure(void)
{
	const char *disabled = setting_read(SETTING_DISABLE), *first = setting_read(SETTING_SOURCE);
	bool is_wanted = !first || strcmp(first, "auto") == 0;

	is_named = !is_wanted;
	sched.is_patient = probe_is_disabled(disabled, "slice");
	share_configure(!probe_is_disabled(disabled, "share"));
	sched.wants_extensions = !probe_is_disabled(disabled, "rseq_slice");
	sched.lets_spin = probe_is_disabled(disabled, "spin");
	sched.hears_nothing = probe_is_disabled(disabled, "upcalls");

	/* One that is asked for by name, and what is below it. */
	for (int i = 0; i < SOURCES; i++) {
		is_wanted |= first && strcmp(first, sources[i]->name) == 0;
		state[i].is_wanted = i == SOURCES - 1 || (is_wanted && !sched.hears_nothing &&
							  !probe_is_disabled(disabled, sources[i]->switch_name));
		if (sources[i] == &source_perf)
			sched.has_alarms = state[i].is_wanted && !probe_is_disabled(disabled, "alarm");
	}
}

static void tell_name(void)
{
	for (int i = 0; i < SOURCES; i++) {
		if (!load_relaxed(&state[i].is_up))
			continue;
		page_source(sources[i]->name);
		return;
	}
}

static bool can_go(int i)
{
	return state[i].is_wanted && sources[i]->is_alive;
}

/* The best of those that upcalld serves.  Where it does not answer it is asked once. */
static bool start_served(unsigned patience_ms)
{
	int err = 0;

	for (int i = 0; i < SOURCES && err != -EAGAIN; i++) {
		if (!can_go(i))
			continue;
		err = sources[i]->start(patience_ms);
		if (err == 0) {
			store_release(&state[i].is_up, 1);
			return true;
		}
	}
	return false;
}

static void retry_soon(uint64_t now)
{
	retry_ns = retry_min_ns;
	retry_at_ns = now + retry_ns;
}

uint64_t source_events_due_ns(void)
{
	return events_due_ns;
}

void source_init(void)
{
	const uint64_t short_life_ns = 100 * NS_PER_MS;

	events_due_ns = is_named ? 0 : now_ns() + short_life_ns;
	for (int i = 0; i < SOURCES; i++)
		store_relaxed(&state[i].is_up, state[i].is_wanted && !can_go(i) &&
					       sources[i]->start(FIRST_PATIENCE_MS) == 0);
	start_served(FIRST_PATIENCE_MS);
	retry_soon(now_ns());
	tell_name();
}

/* The clerk is asked last: it finds the source that is to do until then, and what it does is not undone here. */
static void attach(struct activation *a, bool is_self)
{
	bool is_for_clerk = false;

	for (int i = 0; i < SOURCES; i++) {
		if (!load_acquire(&state[i].is_up))
			continue;
		const struct source *before = load_relaxed(&a->source);

		/* One that can go away may have come back as another: register anew. */
		if (before != sources[i] || sources[i]->is_alive) {
			int err = sources[i]->attach(a, is_self);

			is_for_clerk |= err == -EAGAIN;
			if (err)
				continue;
		}
		before = xchg_acq_rel(&a->source, sources[i]);
		if (before != sources[i])
			before->detach(a);
		break;
	}
	if (is_for_clerk)
		clerk_ask(a, ERRAND_ATTACH);
}

void source_attach(struct activation *a)
{
	uint32_t generation;

	if (!strange_begin())
		return;
	do {
		generation = load_acquire(&source_generation);
		attach(a, true);
		a->source_generation = generation;
	} while (generation != load_acquire(&source_generation));
	strange_end();
}

/* What is opened within the second after that is there at once. */
void source_warm_up(void)
{
	for (int i = 0; i < SOURCES; i++)
		if (sources[i] == &source_perf && load_acquire(&state[i].is_up))
			perf_warm_up();
}

/* a has asked the clerk for perf; something better may have come meanwhile. */
void source_attach_for(struct activation *a)
{
	const struct source *before = load_relaxed(&a->source);

	if (before != &source_look || a->guest || source_perf.attach(a, false) != 0)
		return;
	if (!cas_seq_cst(&a->source, &before, &source_perf))
		source_perf.detach(a);
}

void source_detach(struct activation *a)
{
	const struct source *before = load_relaxed(&a->source);

	store_release(&a->source, &source_look);
	before->detach(a);
}

/*
 * Nobody asks whether a bound thread is blocked, nor tells it that it is back; and the events would make each of its
 * switches dearer.
 */
void source_detach_host(struct activation *a)
{
	lock_take(&sched.all_lock);	/* the clerk may be about to attach it */
	if (load_relaxed(&a->source) == &source_perf)
		source_detach(a);
	alarm_drop(a);
	lock_drop(&sched.all_lock);
}

#ifdef UPCALL_INJECT
/*
 * What becomes of an event on its way to those who ask.  An event is that the source says another thing than the last
 * time; what befalls it is over with the next one.
 *   lost     a block is told of after so long only that the monitor's signals have done what they can; its end, after a
 *            tick of the monitor's, within which the kernel would have switched it again
 *   late     it is told of some part of a tick later
 *   doubled  the one before comes again, some part of a tick later, for as long
 *   swapped  the next one comes before it: this one is not told of, nor is that one for a tick
 */
static void befall(struct activation *a, bool is_blocked)
{
	enum { EVERY = 12, TICK_NS = 10 * 1000 * 1000, LOST_NS = 10 * TICK_NS };
	uint64_t now = now_ns(), part = inject_below(TICK_NS);
	bool was_swapped = a->is_swapped;

	a->is_swapped = !was_swapped && inject_now(INJECT_SWAPPED, EVERY);
	a->wrong_ns = now;
	a->right_ns = now;
	if (a->is_swapped || was_swapped) {
		a->right_ns = now + TICK_NS;
	} else if (inject_now(INJECT_LOST, EVERY)) {
		a->right_ns = now + (is_blocked ? LOST_NS : TICK_NS);
	} else if (inject_now(INJECT_LATE, EVERY)) {
		a->right_ns = now + part;
	} else if (inject_now(INJECT_DOUBLED, EVERY)) {
		a->wrong_ns = now + part;
		a->right_ns = now + 2 * part;
	}
}

/* Whoever asks, racily: any answer will do. */
static bool injected(struct activation *a, bool is_blocked)
{
	bool said = a->said_blocked;

	if (!inject_kinds)
		return is_blocked;
	if (is_blocked != a->was_blocked) {
		a->was_blocked = is_blocked;
		befall(a, is_blocked);
	}
	if (a->right_ns) {
		uint64_t now = now_ns();

		if (now >= a->wrong_ns && now < a->right_ns)
			is_blocked = !is_blocked;
	}
	a->said_blocked = is_blocked;
	if (inject_now(INJECT_LATE, 4))
		return said;
	return is_blocked || inject_now(INJECT_BLOCKED, 64);
}

/* The same of those that are only counted. */
static unsigned injected_count(unsigned n)
{
	return !n ? 0 : inject_now(INJECT_LOST, 4) ? 0 : inject_now(INJECT_DOUBLED, 4) ? 2 * n : n;
}
#else
static bool injected(struct activation *a, bool is_blocked)
{
	(void)a;
	return is_blocked;
}

static unsigned injected_count(unsigned n)
{
	return n;
}
#endif

bool source_is_blocked(struct activation *a)
{
	return injected(a, load_acquire(&a->source)->is_blocked(a));
}

bool source_is_running(struct activation *a)
{
	const struct source *source = load_acquire(&a->source);

	return !injected(a, source->is_running ? !source->is_running(a) : source->is_blocked(a));
}

uint64_t source_in_since(struct activation *a)
{
	return load_acquire(&a->source)->in_since(a);
}

uint64_t source_blocked_since(struct activation *a, uint64_t now)
{
	const struct source *s = load_acquire(&a->source);

	return s->blocked_since ? s->blocked_since(a) : activation_lost_ns(a, now);
}

uint64_t source_overlap_bound(struct activation *a)
{
	const struct source *s = load_acquire(&a->source);

	return s->bound_slices * (sched.slice_ns ? sched.slice_ns : SCHED_SLICE_NS) + s->bound_ns;
}

unsigned source_preemptions(struct activation *a)
{
	const struct source *source = load_acquire(&a->source);

	return source->preemptions ? injected_count(source->preemptions(a)) : 0;
}

/* Source i tells no more: its activations go to the others, at once. */
static void lose(int i)
{
	store_release(&state[i].is_up, 0);
	fetch_add(&source_generation, 1);
	lock_take(&sched.all_lock);
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);

		if (load_relaxed(&a->alive) && load_relaxed(&a->source) == sources[i])
			attach(a, false);
	}
	lock_drop(&sched.all_lock);
	tell_name();
}

static void try_again(uint64_t now)
{
	if (start_served(PATIENCE_MS)) {
		fetch_add(&source_generation, 1);
		tell_name();
		return;
	}
	retry_at_ns = now + retry_ns;
	if (retry_ns < retry_max_ns)
		retry_ns *= 2;
}

/* Owners that compute get a signal, so that they move; all others come by themselves. */
static void call_owners(void)
{
	for (unsigned i = 0; i < vprocs_made(); i++) {
		struct activation *owner = vproc_owner(&sched.vprocs[i]);

		if (owner && owner->source_generation != load_relaxed(&source_generation) &&
		    load_relaxed(&owner->thread)->kind == THREAD_USER && source_is_running(owner))
			preempt_poke(owner);
	}
}

void source_tick(uint64_t now)
{
	bool wants_any = false, has_any = false;

	for (int i = 0; i < SOURCES; i++) {
		wants_any |= can_go(i);
		if (!can_go(i) || !load_relaxed(&state[i].is_up))
			continue;
		has_any = sources[i]->is_alive();
		if (!has_any) {
			lose(i);
			retry_soon(now);
		}
	}
	if (wants_any && !has_any && now >= retry_at_ns)
		try_again(now);
	if (load_relaxed(&source_generation))
		call_owners();
}

void source_fork_child(void)
{
	for (int i = 0; i < SOURCES; i++)
		if (sources[i]->fork_child)
			sources[i]->fork_child();
	clerk_fork_child();
	share_fork_child();
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which CPUs the vprocs are on, and whether other programs want them, too: for that the monitor compares, each period,
 * what the process got with what its vprocs should have got.
 *
 * A vproc whose spare is armed is tied to a CPU (spare.c).  If another program comes to compute there,
 * the kernel cannot part the two though another CPU may be idle: two programs of one vproc each once
 * shared one of two CPUs for seconds.  So where much of what tied vprocs should have got is missing, the clerk asks the
 * kernel which CPUs were idle meanwhile, and ties vprocs to those.  Two programs that were pushed together would
 * jump after each other for ever: who moves is drawn by lot.  A vproc that gets next to nothing, as somebody of
 * a higher priority has its CPU, goes where another vproc gets on, idle CPU or not; where none does, to the next CPU.
 *
 * Where vprocs do not get all of the time that they are awake, others want the CPUs (or owners block unannounced with
 * nobody else to run, which counts as such): then one that looks round for work, instead of sleeping, would only come
 * later when it has some.  And to wake one for what is soon done costs more than it gains, where they often are and all
 * used less than one fewer could.  As that is otherwise once they are woken less, it is asked again each second.
 */
#include <string.h>

#include "../base/random.h"
#include "../sys/probe.h"
#include "../upcall/events.h"
#include "vproc.h"

enum { CPUS_MAX = 8 * sizeof(sched.affinity), MASK_WORDS = CPUS_MAX / (8 * sizeof(long)) };

static const uint64_t period_ns = 100 * NS_PER_MS, tick_ns = 10 * NS_PER_MS /* of /proc/stat: USER_HZ */;

static int cpu_list[VPROCS_MAX];
static unsigned ncpus;
static const unsigned long every_cpu[MASK_WORDS] = { [0 ... MASK_WORDS - 1] = ~0UL };
static struct au32 untied_get_every;
static bool was_asked;

static bool mask_has(const unsigned long *mask, unsigned cpu)
{
	return mask[cpu / (8 * sizeof(long))] >> (cpu % (8 * sizeof(long))) & 1;
}

void cpus_read(void)
{
	int bytes = sys_get_affinity(0, sched.affinity, sizeof(sched.affinity));

	ncpus = 0;
	was_asked = false;
	store_relaxed(&untied_get_every, 0);
	sched.affinity_bytes = bytes > 0 ? (size_t)bytes : 0;
	for (unsigned cpu = 0; cpu < sched.affinity_bytes * 8 && ncpus < VPROCS_MAX; cpu++)
		if (mask_has(sched.affinity, cpu))
			cpu_list[ncpus++] = (int)cpu;
}

const unsigned long *cpus_untied(void)
{
	return load_relaxed(&untied_get_every) ? every_cpu : sched.affinity;
}

/*
 * Linux keeps a mask that was set when the process's cpuset, or the machine, gets more CPUs.  So where the program's own is all
 * that it may use, who is not tied is given every CPU, to follow, too.  Tried with the clerk, whose CPU nobody minds.
 */
bool cpus_ask(void)
{
	unsigned long got[MASK_WORDS] = { 0 };
	int tid = __atomic_load_n(&clerk_tid, __ATOMIC_RELAXED);	/* 0: it has ended, or there is none */

	if (was_asked || !tid)
		return false;
	was_asked = true;
	if (sys_set_affinity(tid, every_cpu, sizeof(every_cpu)))
		return false;
	sys_get_affinity(tid, got, sizeof(got));
	if (memcmp(got, sched.affinity, sched.affinity_bytes)) {
		sys_set_affinity(tid, sched.affinity, sched.affinity_bytes);
		return false;
	}
	store_relaxed(&untied_get_every, 1);
	return true;
}

static unsigned index_of(int cpu)
{
	for (unsigned i = 0; i < ncpus; i++)
		if (cpu_list[i] == cpu)
			return i;
	return ncpus;
}

/* To begin with, vprocs are thought to be on the CPUs from that of the first one on, or from the one that we are on. */
void cpus_assign(unsigned first)
{
	unsigned cpu_now = 0;

	arch_syscall3(SYS_getcpu, (long)&cpu_now, 0, 0);
	unsigned here = index_of(first ? sched.vprocs[0].cpu : (int)cpu_now);

	for (unsigned i = first; i < vprocs_made(); i++)
		sched.vprocs[i].cpu = ncpus > 1 || sched.was_pinned ? cpu_list[(here + i) % ncpus] : -1;
	sched.was_pinned |= ncpus > 1;
}

static bool is_taken(const struct vproc *vp, int cpu)
{
	for (unsigned i = 0; i < vprocs_made(); i++) {
		const struct vproc *other = &sched.vprocs[i];

		if (other != vp && other->cpu == cpu &&
		    (load_relaxed(&other->armed) || load_relaxed(&other->wake) == VW_AWAKE))
			return true;
	}
	return false;
}

int vproc_cpu(const struct vproc *vp, int cpu)
{
	if (!is_taken(vp, cpu))
		return cpu;
	for (unsigned i = 0; i < ncpus; i++)
		if (!is_taken(vp, cpu_list[i]))
			return cpu_list[i];
	return cpu;
}

/* ---- other programs on them ---- */

static bool is_tied_and_busy(const struct vproc *vp)
{
	return load_relaxed(&vp->armed) && load_relaxed(&vp->wake) == VW_AWAKE && vp->cpu >= 0;
}

/* Who ties it and who wakes up on it may contradict each other: where it is tied counts. */
static void correct_cpu(struct vproc *vp)
{
	struct activation *owner = vproc_owner(vp);
	int cpu = owner ? owner->pinned_cpu : -1;

	if (cpu >= 0)
		vp->cpu = cpu;
}

/* used_ns: what the process has had of all CPUs, in span_ns; below 0: not known. */
static void look_at_tied(uint64_t span_ns, int64_t used_ns)
{
	static unsigned nbusy;
	unsigned n = 0;

	if (ncpus < 2 || sched.keeps_cpus)
		return;
	for (unsigned i = 0; i < vprocs_made(); i++) {
		if (!is_tied_and_busy(&sched.vprocs[i]))
			continue;
		correct_cpu(&sched.vprocs[i]);
		n++;
	}
	int64_t due_ns = (int64_t)((n < nbusy ? n : nbusy) * span_ns);

	if (used_ns >= 0 && used_ns < due_ns * 4 / 5)
		clerk_ask_idle();
	nbusy = n;
}

/* Asleep, or its owner in an announced call, up to tsc. */
static uint64_t idle_ns_of(const struct vproc *vp, uint64_t tsc)
{
	uint64_t since = load_relaxed(&vp->asleep_tsc), ticks = load_relaxed(&vp->blocked_ticks);

	if (!vproc_owner(vp) || load_relaxed(&vp->wake) == VW_OFF)
		return ns_of_ticks(tsc);
	if (!since)
		since = load_relaxed(&vp->blocked_tsc);
	if (since && since < tsc)
		ticks += tsc - since;
	return load_relaxed(&vp->idle_ns) + ns_of_ticks(ticks);
}

/* The same since the last look. */
static void look_at_all(uint64_t now, int64_t used_ns)
{
	enum { LITTLE_NS = 60 * NS_PER_US, OFTEN_NS = NS_PER_MS };
	static uint64_t since_tsc, idle_ns, wakeups, shared_until, short_until;
	uint64_t idle = 0, woken = 0, tsc = arch_ticks();
	unsigned n = vprocs_made();

	for (unsigned i = 0; i < n; i++) {
		idle += idle_ns_of(&sched.vprocs[i], tsc);
		woken += load_relaxed(&sched.vprocs[i].wakeups);
	}
	int64_t span_ns = (int64_t)ns_of_ticks(tsc - since_tsc), all_ns = n * span_ns;
	int64_t awake_ns = all_ns - (int64_t)(idle - idle_ns), times = (int64_t)(woken - wakeups);
	bool is_known = used_ns >= 0 && awake_ns < all_ns + span_ns / 8;	/* more: one has just begun */

	if (is_known && awake_ns > span_ns / 8 && used_ns < awake_ns * 7 / 8) {
		shared_until = now + NS_PER_S;
		if (now >= short_until && times * OFTEN_NS > span_ns && awake_ns < times * LITTLE_NS &&
		    used_ns < all_ns - span_ns)
			short_until = shared_until;
	}
	store_relaxed(&sched.cpus_are_shared, now < shared_until);
	store_relaxed(&sched.cpus_are_short, now < short_until);
	since_tsc = tsc;
	idle_ns = idle;
	wakeups = woken;
}

void cpus_tick(uint64_t now, bool can_ask)
{
	static uint64_t since_ns, cpu_ns;
	uint64_t span_ns = now - since_ns;

	if (span_ns < period_ns)
		return;
	uint64_t used = can_ask ? sys_process_cpu_ns() : 0;
	/* Nothing can be said of a period in which the monitor itself was kept waiting for long. */
	bool is_known = cpu_ns && used >= cpu_ns && span_ns < 2 * period_ns;
	int64_t used_ns = is_known ? (int64_t)(used - cpu_ns) : -1;

	look_at_tied(span_ns, used_ns);
	look_at_all(now, used_ns);
	since_ns = now;
	cpu_ns = used;
}

/* Shares of the time since the last look, which it returns if that was not too long ago: in 1/256.  0: not known. */
static uint64_t look_at_idle(uint16_t *share)
{
	static uint64_t before[CPUS_MAX], at_ns;
	static uint64_t ticks[CPUS_MAX];
	uint64_t now = now_ns(), span_ns = now - at_ns;

	if (probe_idle_ticks(ticks, CPUS_MAX) != 0)
		return 0;
	for (unsigned i = 0; i < ncpus; i++) {
		int cpu = cpu_list[i];
		uint64_t idle_ns = (ticks[cpu] - before[cpu]) * tick_ns;

		share[i] = (uint16_t)(idle_ns >= span_ns ? 256 : idle_ns * 256 / span_ns);
	}
	memcpy(before, ticks, sizeof(before));
	at_ns = now;
	return span_ns > period_ns / 2 && span_ns < 4 * period_ns ? span_ns : 0;
}

static void move(struct vproc *vp, int cpu)
{
	struct activation *owner = vproc_owner(vp), *spare = load_acquire(&vp->spare);

	if (sched.keeps_cpus)		/* since just now */
		return;
	vp->cpu = cpu;
	vp->starved = 0;
	/* The owner first: a spare that finds it elsewhere would fetch it back. */
	if (owner)
		activation_pin(owner, cpu);
	if (spare)
		activation_pin(spare, cpu);
}

/* What its owner has had of a processor since the last look, of span_ns; NEVER: it is another, or not known. */
static uint64_t got_ns(struct vproc *vp, uint64_t span_ns)
{
	struct activation *owner = vproc_owner(vp);
	uint64_t cpu_ns = owner && is_tied_and_busy(vp) ? sys_thread_cpu_ns(owner->tid) : 0;
	uint64_t got = cpu_ns && vp->share_owner == owner ? cpu_ns - vp->share_cpu_ns : NEVER;

	vp->share_owner = cpu_ns ? owner : NULL;
	vp->share_cpu_ns = cpu_ns;
	return got == NEVER || got <= span_ns ? got : span_ns;
}

static int next_cpu(int cpu)
{
	unsigned i = index_of(cpu) + 1;

	return cpu_list[i < ncpus ? i : 0];
}

static void look_for_starved(uint64_t span_ns)
{
	enum { PERIODS = 3 };
	const struct vproc *best = NULL;

	for (unsigned i = 0; i < vprocs_made(); i++) {
		struct vproc *vp = &sched.vprocs[i];
		uint64_t got = got_ns(vp, span_ns);

		vp->starved = got < span_ns / 16 ? vp->starved + 1 : 0;
		if (got != NEVER && got >= span_ns / 2)
			best = vp;
	}
	for (unsigned i = 0; i < vprocs_made(); i++) {
		struct vproc *vp = &sched.vprocs[i];

		if (vp->starved >= PERIODS)
			move(vp, best ? best->cpu : next_cpu(vp->cpu));
	}
}

void cpus_look(void)
{
	static uint16_t idle[VPROCS_MAX];
	static uint32_t lot;

	uint64_t span_ns = look_at_idle(idle);

	if (!span_ns)
		return;
	if (!lot)
		lot = (uint32_t)arch_ticks() | 1;
	for (unsigned v = 0; v < vprocs_made(); v++) {
		struct vproc *vp = &sched.vprocs[v];
		unsigned here = index_of(vp->cpu);

		if (random_next(&lot) >> 31 || !is_tied_and_busy(vp) || here == ncpus || idle[here] > 256 / 8)
			continue;
		for (unsigned i = 0; i < ncpus; i++)
			if (idle[i] >= 256 / 2 && !is_taken(vp, cpu_list[i])) {
				idle[i] = 0;
				move(vp, cpu_list[i]);
				break;
			}
	}
	look_for_starved(span_ns);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * From one thread to many, and back to one in a forked child.  Until the first pthread_create
 * nothing of this exists: no kernel thread, no signal, no descriptor.
 */
#include <errno.h>
#include <string.h>

#include "../base/child.h"
#include "../sys/probe.h"
#include "../sys/setting.h"
#include "../thread/stack.h"
#include "../trace/page.h"
#include "../trace/ring.h"
#include "../upcall/events.h"
#include "policy.h"
#include "vproc.h"

static unsigned want_vprocs(void)
{
	int n = sched.fixed_vprocs ? sched.fixed_vprocs : probe_vprocs(clerk_quota()), most = (int)share_limit();

	sched.allowed = n < 1 ? 1 : (unsigned)n;
	if (most && n > most)
		n = most;
	return n <= 0 ? 1 : n > VPROCS_MAX ? VPROCS_MAX : (unsigned)n;
}

/* Both clocks at one moment: of a few tries the one whose moment was shortest, for any may be preempted. */
static uint64_t ticks_and_ns(uint64_t *ret_ns)
{
	uint64_t ticks = 0, shortest = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t before = now_ns(), now = arch_ticks(), took = now_ns() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		ticks = now;
		*ret_ns = before + took / 2;
	}
	return ticks;
}

static void calibrate(void)
{
	uint64_t end_ns = 0;

	sched.start_ticks = ticks_and_ns(&sched.start_ns);
	while (now_ns() - sched.start_ns < 20 * NS_PER_US)
		arch_pause();
	uint64_t ticks = ticks_and_ns(&end_ns) - sched.start_ticks, ns = end_ns - sched.start_ns;

	for (; ns > NS_PER_MS; ns /= 2)		/* it was stopped for long: the products below are to fit */
		ticks /= 2;
	sched.tick_ns_q32 = (ns << 32) / (ticks ? ticks : 1);
	sched.look_ticks = 20 * NS_PER_US * ticks / ns;
	sched.young_ticks = 10 * NS_PER_US * ticks / ns;
	sched.woken_ticks = NS_PER_US * ticks / ns;
	sched.poll_ticks = 100 * NS_PER_US * ticks / ns;
	sched.watch_ticks = 200 * NS_PER_MS * ticks / ns;
	sched.moment_ticks = 3 * NS_PER_US * ticks / ns;
	sched.blocks_ticks = 50 * NS_PER_MS * ticks / ns;
	sched.grain_ticks = SCHED_GRAIN_NS * ticks / ns;
	sched.hog_grain_ticks = SCHED_HOG_GRAIN_NS * ticks / ns;
	sched.turn_ticks = 50 * NS_PER_US * ticks / ns;
	sched.cold_ticks = 2 * NS_PER_MS * ticks / ns;
	sched.slice_ticks = sched.slice_ns * ticks / ns;
	sched.lazy_ticks = 50 * NS_PER_US * ticks / ns + !ticks;	/* it divides */
	sched.laziest_ticks = NS_PER_MS * ticks / ns + !ticks;
	sched.idle_spin_ticks = sched.lazy_ticks / 2;
}

/* They are started when they are needed. */
static void add_vprocs(unsigned n)
{
	unsigned before = load_relaxed(&sched.nvprocs);

	for (unsigned i = before; i < n; i++) {
		struct vproc *vp = &sched.vprocs[i];

		memset(vp, 0, sizeof(*vp));
		vp->id = i;
		vp->visitors = vp->owes = vp->warnings = &scx_nothing;
		vp->warned_ns = &scx_never;
		vp->random = i + 1;
		store_relaxed(&vp->runq.has_thieves, n > 1);
		vp->watch_until_tsc = arch_ticks() + sched.watch_ticks;
		vp->watch_credit = WATCH_CREDIT;
		vp->eager = EAGER_MAX;
		timers_init(&vp->timers);
		store_relaxed(&vp->wake, VW_OFF);
	}
	store_release(&sched.nvprocs, n);
	cpus_assign(before);
	for (unsigned i = before; i < n; i++)
		idle_bit_set(&sched.vprocs[i]);
}

/* Vproc 0 begins with the first activation, if there is one. */
static int make_vprocs(bool has_first)
{
	cpus_read();
	unsigned n = want_vprocs();

	if (!sched.vprocs)		/* touched as far as there are vprocs */
		sched.vprocs = sys_map(VPROCS_MAX * sizeof(struct vproc));
	if (!sched.vprocs)
		return -ENOMEM;
	sched.was_pinned = false;
	sched.has_spawned = false;
	store_relaxed(&sched.nvprocs, 0);
	store_relaxed(&sched.wants_thieves, n > 1);
	add_vprocs(n);
	policy_limit(n);
	page_given(n);
	if (has_first) {
		idle_bit_clear(&sched.vprocs[0]);
		store_relaxed(&sched.vprocs[0].wake, VW_AWAKE);
	}
	return 0;
}

/*
 * The program may have more than it has ever had.  A lone vproc's owner first has to say that it minds thieves, which
 * takes until its next look; and a policy that was told how many there are is left with those.
 */
static void grow(unsigned n)
{
	store_relaxed(&sched.wants_thieves, 1);
	if (load_acquire(&sched.vprocs[0].runq.has_thieves) && policy_may_grow())
		add_vprocs(n);
}

static void repin_all(void)
{
	lock_take(&sched.all_lock);
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);

		if (load_relaxed(&a->alive) && a->pinned_cpu >= 0) {
			a->pinned_cpu = -1;	/* not any more: who changed ours changed all */
			activation_pin(a, a->vproc->cpu);
		}
	}
	lock_drop(&sched.all_lock);
}

/* They were given the mask of before. */
static void untied_follow(void)
{
	lock_take(&sched.all_lock);
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);

		lock_take(&a->pin_lock);
		if (load_relaxed(&a->alive) && a->pinned_cpu < 0 && !a->guest)
			sys_set_affinity(a->tid, cpus_untied(), sched.affinity_bytes);
		lock_drop(&a->pin_lock);
	}
	lock_drop(&sched.all_lock);
}

/* What it runs is preempted by the monitor when its time has come. */
static void warn_of_loss(struct vproc *vp)
{
	uint32_t us = load_relaxed(&events_warn_us);

	store_relaxed(&vp->taken_at_ns, us ? now_ns() + us * UINT64_C(1000) : 0);
	if (us)
		events_post(vp, UPCALL_REPORT_WARNING, NULL, vproc_owner(vp));
}

/* The monitor keeps the program's own mask: what somebody outside does to all threads shows there. */
void limits_follow(void)
{
	unsigned long mask[CPU_SETSIZE / (8 * sizeof(long))] = { 0 };
	int bytes = sys_get_affinity(0, mask, sizeof(mask));
	static bool changed_lately;	/* the others may have been changed after us */
	bool changes = bytes > 0 && memcmp(mask, sched.affinity, (size_t)bytes) != 0;

	if (changes) {
		cpus_read();
		cpus_assign(0);
	}
	/* One that was being untied when the others were changed has got the mask of before. */
	if (cpus_ask() || changes || changed_lately)
		untied_follow();
	if (changes || changed_lately)
		repin_all();
	changed_lately = changes;
	unsigned n = want_vprocs();

	if (n > load_relaxed(&sched.nvprocs))
		grow(n);
	n = n > load_relaxed(&sched.nvprocs) ? load_relaxed(&sched.nvprocs) : n;
	unsigned before = load_relaxed(&sched.limit);

	for (unsigned i = n; i < before; i++)
		warn_of_loss(&sched.vprocs[i]);
	for (unsigned i = before; i < n; i++)
		store_relaxed(&sched.vprocs[i].taken_at_ns, 0);
	policy_limit(n);
	page_given(n);
	if (n != before)
		policy_follow(n);
	for (unsigned i = before; i < n; i++)
		vproc_kick(&sched.vprocs[i]);
}

void sched_configure(void)
{
	inject_init();
	const char *slice = setting_read(SETTING_SLICE);

	source_configure();
	policy_configure(setting_read(SETTING_POLICY));
	sched.slice_ns = slice ? setting_slice_ns(slice) : SCHED_SLICE_NS;
	sched.fixed_vprocs = (int)setting_number(setting_read(SETTING_VPROCS));
}

void sched_set_vprocs(unsigned n)
{
	if (!sched.fixed_vprocs)
		sched.fixed_vprocs = n > VPROCS_MAX ? VPROCS_MAX : (int)n;
}

/*
 * The kernel thread that the process is becomes the first activation, and main a USER thread.  Any other
 * one that libc made, and that comes first, stays libc's: it must end where it began.
 */
static int adopt_process(struct thread *me)
{
	struct activation *a = activation_create_main(me);

	if (!a)
		return -EAGAIN;
	me->kind = THREAD_USER;
	me->last_vproc = a->vproc;
	vproc_set_owner(a->vproc, a);
	return 0;
}

/* What a child has of its parent's activations is memory, which is looked at when it starts threads itself, if it does. */
static void take_inherited(void)
{
	struct list *l = sched.inherited.next, *last = sched.inherited.prev, *next;

	for (bool is_last = !l || l == &sched.activations; !is_last; l = next) {
		struct activation *a = container_of(l, struct activation, all_link);

		is_last = l == last;
		next = l->next;
		store_relaxed(&a->alive, 0);
		store_relaxed(&a->is_lost, 0);
		store_relaxed(&a->source, &source_look);
		store_relaxed(&a->perf_area, NULL);	/* the kernel does not copy such mappings to a child */
		a->alarm_tid = 0;
		lock_fork_child(&a->pin_lock);
		list_push_back(&sched.activations, l);
	}
	sched.inherited.next = NULL;
}

int sched_start(void)
{
	struct thread *me = thread_self();
	bool is_process = sys_gettid() == (int)arch_syscall0(SYS_getpid);

	if (sched_is_started)
		return 0;
	source_init();
	if (!sched.activations.next)
		list_init(&sched.activations);
	take_inherited();
	store_relaxed(&sched_idle_kmask, SCHED_BLOCK_ALL);
	bool has_membarrier = sys_membarrier_init();

	calibrate();
	stack_start();
	extension_init();
	sys_get_policy(&sched.policy);
	int err = make_vprocs(is_process);

	/* Else it is an outsider who starts this. */
	if (!err && is_process && has_membarrier && vprocs_made() == 1)
		store_relaxed(&sched_lone, LONE);
	if (!err)
		err = policy_start();
	if (!err)
		err = preempt_probe();
	if (!err) {
		clerk_start();		/* first: the monitor has errands for it at once */
		err = monitor_start();
	}
	if (err && err != -EAGAIN)	/* a filter forbids what we cannot do without */
		return err;
	if (is_process && adopt_process(me)) {
		store_relaxed(&sched.stop, 1);
		return -EAGAIN;
	}
	preempt_init();
	trace_start(vprocs_made());
	sched_is_started = true;
	return 0;
}

void sched_confine(void)
{
	uint64_t limit_ns = now_ns() + 100 * NS_PER_MS;		/* threads that can have no kernel thread go on */

	sched_mind_outsiders();		/* which makes a system call, now or never */
	while (sched_is_started && !vprocs_are_idle() && now_ns() < limit_ns)
		sys_nap(NS_PER_MS);
	store_seq_cst(&sched_is_confined, 1);	/* pairs: confine */
	while (load_seq_cst(&sched.nstrange))
		sys_nap(NS_PER_MS);
	monitor_leave_doze();
	/* Who sleeps in the poller comes out of it, and sleeps elsewhere. */
	while (sched_is_started && load_seq_cst(&sched.poller) && !sched_hooks.io_has_waiters()) {
		sched_hooks.io_kick();
		sys_nap(NS_PER_MS / 10);
	}
}

/* The kernel thread that forked was a spare of late, perhaps; the child has what that had then, whatever memory says. */
static void leave_haste(void)
{
	struct sys_policy mine;

	sys_get_policy(&mine);
	if (mine.runtime == SCHED_SPARE_SLICE_NS)
		sys_set_slice(0, sched.policy.runtime);
}

void sched_leave(void)
{
	if (load_relaxed(&sched_is_confined))
		return;
	if (sched.affinity_bytes)
		sys_set_affinity(0, cpus_untied(), sched.affinity_bytes);
	leave_haste();
}

void sched_fork_child(struct thread *me)
{
	bool was_user = me->kind == THREAD_USER;

	sched_is_started = false;
	zero_in_child(&sched_lone, sizeof(sched_lone));		/* NOT_LONE */
	trace_fork_child();
	me->kind = THREAD_BOUND;
	me->is_one_to_one = false;
	me->in_rt = 0;
	store_relaxed(&me->pending, 0);
	me->last_vproc = NULL;
	me->unpinned = NULL;
	me->forks = false;
	memset(me->slot, 0, sizeof(me->slot));
	bare_fork_child(me);
	/* The parent's activations, mappings and all, are only memory now: start afresh. */
	memset(&sched.idle, 0, sizeof(sched.idle));
	store_relaxed(&sched.nidle, 0);
	store_relaxed(&sched.nsearching, 0);
	store_relaxed(&sched.poller, 0);
	store_relaxed(&sched.nspares, 0);
	store_relaxed(&sched.nlost, 0);
	store_relaxed(&sched.nactivations, 0);
	store_relaxed(&sched.nstrange, 0);
	monitor_fork_child();
	store_relaxed(&sched.has_monitor, 0);
	lock_fork_child(&sched.spare_lock);
	lock_fork_child(&sched.all_lock);
	sched.spares = NULL;
	sched.inherited = sched.activations;
	list_init(&sched.activations);
	source_fork_child();
	events_fork_child();
	extension_fork_child(me);
	if (was_user)
		sched_leave();
}

void sched_before_fork(void)
{
	self_ptr->forks = true;
}

void sched_after_fork(void)
{
	struct thread *me = rt_enter();

	me->act->has_forked = true;	/* as have all that it has left since it began (note_fork) */
	me->forks = false;
	rt_leave(me);
}

void sched_unpin(struct thread *me)
{
	if (me->kind != THREAD_USER)
		return;
	sched_repin(me);		/* a handler that came amid this has done it, perhaps elsewhere */
	struct thread *t = rt_enter();
	struct activation *a = t->act;

	me->unpinned = a;
	activation_hurry(a, false);
	lock_take(&a->pin_lock);
	a->is_unpinnable = true;
	a->has_forked = true;
	lock_drop(&a->pin_lock);
	activation_unpin(a);
	compiler_barrier();	/* a spare that finds us outside looks at it */
	scx_leave(a);
	t->in_rt = 0;
}

void sched_repin(struct thread *me)
{
	if (me->kind != THREAD_USER)
		return;
	/* Whichever activation we are on by now. */
	struct activation *a = me->unpinned;

	if (!a)
		return;
	me->unpinned = NULL;
	a->is_unpinnable = false;
	store_seq_cst(&a->refuses_kicks, 0);
	scx_return(a);
}

size_t sched_affinity(void *mask, size_t bytes)
{
	size_t n = bytes < sched.affinity_bytes ? bytes : sched.affinity_bytes;

	memcpy(mask, sched.affinity, n);
	return n;
}

/* Just the kernel knows: this kernel thread asks for all that there are, and looks what it has got. */
static int ask_for_most(void *mask, size_t bytes)
{
	unsigned char all[CPU_SETSIZE / 8], before[CPU_SETSIZE / 8];
	int n = sys_get_affinity(0, before, sizeof(before));

	memset(all, 0xff, sizeof(all));
	if (n <= 0 || sys_set_affinity(0, all, sizeof(all)))
		return 0;
	int got = sys_get_affinity(0, mask, bytes);

	sys_set_affinity(0, before, (size_t)n);
	return got;
}

size_t sched_affinity_most(void *mask, size_t bytes)
{
	struct thread *me = rt_enter();
	struct activation *a = me->act;

	if (a)
		lock_take(&a->pin_lock);	/* nobody ties it to a CPU meanwhile */
	int n = ask_for_most(mask, bytes);

	if (a)
		lock_drop(&a->pin_lock);
	rt_leave(me);
	return n > 0 ? (size_t)n : sched_affinity(mask, bytes);
}

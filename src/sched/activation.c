// SPDX-License-Identifier: BSD-2-Clause
/*
 * Activations: the kernel threads that carry vprocs.
 *
 * Each is made by a bare clone, on memory of its own (an idle stack, an alternate signal stack, a
 * TLS block that only our code uses), so that one can be made anywhere, even while every thread of
 * the program holds a lock of libc's; but not by a bound thread, whose kernel thread may differ from
 * the process's (activation_create).  Structures are reused when their kernel thread has ended.
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>

#include "../thread/tls.h"
#include "../upcall/events.h"
#include "point.h"
#include "vproc.h"

enum { IDLE_STACK = 32 * 1024 };

/* Whoever finds it listed and alive may look at these. */
static void start_life(struct activation *a, struct vproc *vp)
{
	a->vproc = vp;
	a->pinned_cpu = -1;
	store_relaxed(&a->alive, 1);
}

static struct activation *find_dead(void)
{
	struct list *l;

	for (l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);

		if (load_acquire(&a->alive) == 0)
			return a;
	}
	return NULL;
}

static struct activation *map_new(void)
{
	size_t head = (sizeof(struct activation) + 4095) & ~(size_t)4095, bytes = head + IDLE_STACK + ALT_STACK;
	struct activation *a = sys_map(bytes);

	if (!a)
		return NULL;
	a->altstack = (char *)a + head;
	a->idle_stack = (char *)a->altstack + ALT_STACK;
	a->idle_tls = thread_native_tls(&a->idle);
	if (a->idle_tls)
		return a;
	sys_unmap(a, bytes);
	return NULL;
}

static struct activation *allocate(struct vproc *vp)
{
	lock_take(&sched.all_lock);
	struct activation *dead = find_dead(), *a = dead ? dead : map_new();

	if (a) {
		start_life(a, vp);
		if (!dead)
			list_push_back(&sched.activations, &a->all_link);
		uint32_t n = fetch_add(&sched.nactivations, 1) + 1;

		if (n > load_relaxed(&sched.activations_peak))
			store_relaxed(&sched.activations_peak, n);
	}
	lock_drop(&sched.all_lock);
	return a;
}

static void prepare(struct activation *a)
{
	store_relaxed(&a->cmd, CMD_SLEEP);
	a->post = POST_NONE;
	store_relaxed(&a->kmask, SCHED_BLOCK_ALL);
	a->is_unpinnable = false;
	store_relaxed(&a->refuses_kicks, 0);
	store_relaxed(&a->has_short_slice, 0);
	a->has_forked = false;
	store_relaxed(&a->cpu_base_ns, 0);
	a->clock_paused = false;
	store_relaxed(&a->errands, 0);
	store_relaxed(&a->is_told_mask, 0);
	store_relaxed(&a->is_mask_late, 0);
	store_relaxed(&a->blocked_cpu_ns, NEVER);
	store_relaxed(&a->alarm, 0);
	store_relaxed(&a->is_seen_running, 0);
	store_relaxed(&a->source, &source_look);
	a->guest = NULL;
	a->guest_tls = NULL;
	a->idle.tls = a->idle_tls;
	a->idle.kind = THREAD_IDLE;
	a->idle.act = a;
	a->idle.in_rt = 1;
	a->idle.kmask = SCHED_BLOCK_ALL;
	store_relaxed(&a->idle.state, T_RUNNING);
	store_relaxed(&a->thread, &a->idle);
}

static void install_altstack(struct activation *a)
{
	stack_t ss = { .ss_sp = a->altstack, .ss_size = ALT_STACK };

	arch_syscall2(SYS_sigaltstack, (long)&ss, 0);
}

void activation_pin(struct activation *a, int cpu)
{
	if (a->pinned_cpu == cpu || cpu < 0 || !strange_begin())
		return;
	lock_take(&a->pin_lock);
	if (!a->is_unpinnable) {
		int was = a->pinned_cpu;

		a->pinned_cpu = -1;	/* first, and until it is there: as in activation_unpin */
		compiler_barrier();
		a->pinned_cpu = sys_pin(a->tid, cpu) == 0 ? cpu : was;
	}
	lock_drop(&a->pin_lock);
	strange_end();
}

/* Who pins itself holds the lock until it has got that processor. */
static bool lock_pin(struct activation *a, bool waits)
{
	if (!waits)
		return lock_try(&a->pin_lock);
	lock_take(&a->pin_lock);
	return true;
}

static void unpin(struct activation *a, bool waits)
{
	if (a->pinned_cpu < 0 || (sched.keeps_cpus && !a->is_unpinnable) || !strange_begin())
		return;
	if (lock_pin(a, waits)) {
		a->pinned_cpu = -1;	/* first: a spare that finds it tied relies on that (take_over) */
		compiler_barrier();
		sys_set_affinity(a->tid, cpus_untied(), sched.affinity_bytes);
		lock_drop(&a->pin_lock);
	}
	strange_end();
}

void activation_unpin(struct activation *a)
{
	unpin(a, true);
}

void activation_try_unpin(struct activation *a)
{
	unpin(a, false);
}

void activation_rest(struct activation *a)
{
	if (unlikely(load_relaxed(&a->has_short_slice)) && !load_relaxed(&sched.is_prompt))
		activation_hurry(a, false);
}

static void hurry(struct activation *a, bool is_short, bool waits)
{
	if (!a || !strange_begin())
		return;
	if (lock_pin(a, waits)) {
		if (load_relaxed(&a->alive) && load_relaxed(&a->has_short_slice) != is_short &&
		    (!is_short || load_acquire(&a->vproc->spare) == a)) {
			sys_set_slice(a->tid, is_short ? SCHED_SPARE_SLICE_NS : sched.policy.runtime);
			store_relaxed(&a->has_short_slice, is_short);
		}
		lock_drop(&a->pin_lock);
	}
	strange_end();
}

void activation_hurry(struct activation *a, bool is_short)
{
	hurry(a, is_short, true);
}

void activation_try_hurry(struct activation *a, bool is_short)
{
	hurry(a, is_short, false);
}

/* It may have inherited the CPU of its maker; and somebody may have pinned it before it ran. */
static void start_unpinned(struct activation *a)
{
	lock_take(&a->pin_lock);
	if (a->pinned_cpu < 0 && sched.was_pinned)
		sys_set_affinity(a->tid, cpus_untied(), sched.affinity_bytes);
	lock_drop(&a->pin_lock);
}

/*
 * It was made by whoever needed it, perhaps a bound thread with a real-time priority: a spare that had
 * inherited that would yield to nobody.  Or by one in haste.
 */
static void take_policy(void)
{
	struct sys_policy mine;

	sys_get_policy(&mine);
	if (mine.policy != sched.policy.policy || mine.priority != sched.policy.priority ||
	    mine.nice != sched.policy.nice || mine.runtime != sched.policy.runtime)
		sys_set_policy(&sched.policy);
}

static void activation_main_fn(void *arg)
{
	struct activation *a = arg;

	a->tid = sys_gettid();
	install_altstack(a);
	extension_start(a);
	if (strange_begin()) {
		start_unpinned(a);
		take_policy();
		strange_end();
	}
	source_attach(a);
	a->tsc = arch_ticks();
	idle_loop(a);
}

static const unsigned long clone_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
					 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
					 CLONE_CHILD_CLEARTID;

/* A new kernel thread with every signal blocked, and the program's own CPU mask. */
static long start_kernel_thread(void *stack_top, int *tid, int *alive, void *tls, void (*fn)(void *),
				void *arg)
{
	uint64_t all = SCHED_BLOCK_ALL, old;

	sys_sigmask(SIG_SETMASK, &all, &old);
	long ret = arch_clone(clone_flags, stack_top, tid, alive, tls, fn, arg);

	sys_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

/* The monitor and the clerk. */
static struct { struct thread self; int alive; char *stack; } helpers[2];

static struct activation *make(struct vproc *vp, bool owns)
{
	struct activation *a = allocate(vp);

	if (!a)
		return NULL;
	prepare(a);
	a->is_assigned = !owns;
	uint64_t owner_before = load_relaxed(&vp->owner);	/* who calls us with `owns` is the only one to change it */

	if (owns) {
		vproc_set_owner(vp, a);
		fetch_add(&sched.upcalls_added, 1);
	}
	if (start_kernel_thread((char *)a->idle_stack + IDLE_STACK, &a->tid, (int *)&a->alive, a->idle.tls,
				activation_main_fn, a) < 0) {
		fetch_sub(&sched.nactivations, 1);
		if (owns) {		/* or it would be a's when that is used again, as a spare */
			store_release(&vp->owner, owner_before);
			if (vproc_owner(vp))
				scx_tell_owner(vp, vproc_owner(vp));
		}
		store_release(&a->alive, 0);
		return NULL;
	}
	if (owns) {
		point_added(vp, a);
		events_post(vp, UPCALL_REPORT_ADDED, NULL, a);
	}
	return a;
}

/*
 * A kernel thread inherits what its maker has: a bound thread may have given itself other credentials, namespaces or
 * priorities, which are not to come to others in this way; nor when it has ended, and who joins it is woken.
 */
static bool is_fit_to_make(const struct thread *me)
{
	if (!me || me == &helpers[HELPER_MONITOR].self || !load_relaxed(&sched.has_monitor))
		return true;
	return me->kind != THREAD_BOUND && !(me->kind == THREAD_IDLE && me->act->guest);
}

/* Owning vp from the start, or as its spare; NULL when the system gives no more kernel threads, or the caller is to make none. */
struct activation *activation_create(struct vproc *vp, bool owns)
{
	return likely(is_fit_to_make(self_ptr)) ? make(vp, owns) : NULL;
}

void activation_ask(void)
{
	if (is_fit_to_make(self_ptr))
		return;
	store_seq_cst(&sched.lacks_activation, 1);
	monitor_hurry();
	monitor_wake();
}

/* The kernel thread that was the whole process becomes the first activation. */
static void activation_main(struct activation *a, struct thread *me)
{
	prepare(a);
	a->is_main = true;
	a->tid = sys_gettid();
	install_altstack(a);
	extension_start(a);
	sys_sigmask(SIG_UNBLOCK, &(uint64_t){ SCHED_SIGNAL }, NULL);	/* the program may have been started with it blocked */
	sys_sigmask(SIG_BLOCK, NULL, &me->kmask);
	store_relaxed(&a->kmask, me->kmask);
	a->tsc = arch_ticks();
	cpu_start(me);
	me->act = a;
	store_relaxed(&a->thread, me);
	source_attach(a);
}

static void first_idle_entry(void)
{
	struct activation *a = self_ptr->act;

	/* What begin_turn does for a context that has run before. */
	sched_enter_idle(a);
	idle_loop(a);
}

struct activation *activation_create_main(struct thread *me)
{
	struct activation *a = allocate(&sched.vprocs[0]);

	if (!a)
		return NULL;
	activation_main(a, me);
	a->idle.sp = arch_context_init((char *)a->idle_stack + IDLE_STACK, first_idle_entry);
	return a;
}

void activation_exit(struct activation *a)
{
	source_detach(a);
	fetch_sub(&sched.nactivations, 1);
	arch_syscall1(SYS_exit, 0);	/* the kernel clears `alive` when nothing of it is left */
	panic("activation %d outlived its exit", a->tid);
}

/* A sleeping spare becomes the owner of a vproc that has none. */
void activation_run(struct activation *a, struct vproc *vp)
{
	a->vproc = vp;
	activation_rest(a);
	if (sched.keeps_cpus)
		activation_pin(a, vp->cpu);
	else
		activation_unpin(a);
	vproc_set_owner(vp, a);
	fetch_add(&sched.upcalls_added, 1);
	point_added(vp, a);
	events_post(vp, UPCALL_REPORT_ADDED, NULL, a);
	store_release(&a->cmd, CMD_RUN);
	sys_futex_wake(&a->cmd, 1);
}

/* When a kernel thread ends, the kernel signals children that asked for that, and undoes what it was asked for by io_uring. */
static bool may_end(const struct activation *a)
{
	return !a->is_main && !a->has_forked && !load_relaxed(&sched.keeps_spares);
}

static struct activation *take(bool to_end)
{
	struct activation **place = &sched.spares, *a;

	if (load_relaxed(&sched.nspares) == 0)
		return NULL;
	lock_take(&sched.spare_lock);
	while ((a = *place) != NULL && to_end && !may_end(a))
		place = &a->next;
	if (a) {
		*place = a->next;
		a->is_assigned = true;
		store_relaxed(&sched.nspares, load_relaxed(&sched.nspares) - 1);
	}
	lock_drop(&sched.spare_lock);
	return a;
}

struct activation *spare_take(void)
{
	return take(false);
}

struct activation *spare_take_to_end(void)
{
	return take(true);
}

void spare_give(struct activation *a)
{
	lock_take(&sched.spare_lock);
	a->is_assigned = true;		/* it will be told by `cmd` only */
	a->next = sched.spares;
	sched.spares = a;
	store_relaxed(&sched.nspares, load_relaxed(&sched.nspares) + 1);
	lock_drop(&sched.spare_lock);
}

int monitor_tid;

int helper_create(enum helper which, int *tid, void (*fn)(void *))
{
	enum { STACK = 32 * 1024 };
	struct thread *self = &helpers[which].self;

	if (!helpers[which].stack)
		helpers[which].stack = sys_map(STACK);
	if (!helpers[which].stack)
		return -ENOMEM;
	if (!self->tls)
		self->tls = thread_native_tls(self);
	if (!self->tls)
		return -ENOMEM;
	self->kind = THREAD_BOUND;
	self->in_rt = 1;
	long ret = start_kernel_thread(helpers[which].stack + STACK, tid, &helpers[which].alive, self->tls, fn,
				       NULL);

	/*
	 * At the start it inherits the program's own mask, and is not to have one set: a kernel that keeps what was set
	 * would never show it that the process's cpuset has got other CPUs (limits_follow).
	 */
	if (ret >= 0 && sched_is_started)
		sys_set_affinity((int)ret, cpus_untied(), sched.affinity_bytes);
	return ret < 0 ? (int)ret : 0;
}

int sched_next_kernel_thread(int after)
{
	struct thread *me = rt_enter();
	int next = 0;

	lock_take(&sched.all_lock);
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		const struct activation *a = container_of(l, struct activation, all_link);

		if (load_relaxed(&a->alive) && a->tid > after && (!next || a->tid < next))
			next = a->tid;
	}
	lock_drop(&sched.all_lock);
	rt_leave(me);
	for (int i = 0; i < 2; i++) {
		int tid = (const int[]){ monitor_tid, clerk_tid }[i];

		if (tid > after && (!next || tid < next))
			next = tid;
	}
	return next;
}

/* Inside the runtime, on another stack: t's registers are saved, a waits for it. */
void activation_host(struct activation *a, struct thread *t)
{
	a->guest = t;
	store_release(&a->cmd, CMD_BIND);
	sys_futex_wake(&a->cmd, 1);
}

/* What belongs to a kernel thread and was the activation's: now it is the thread's. */
static void settle(struct thread *me)
{
	/* libc's block keeps its tid: the thread may be inside a lock of libc's that names it. */
	tls_register_robust(me->tls);
	cpu_bind(me->act);
	scx_leave(me->act);
	if (strange_begin()) {
		sys_set_affinity(0, cpus_untied(), sched.affinity_bytes);
		strange_end();
	}
	me->act->pinned_cpu = -1;
	activation_hurry(me->act, false);
	sys_sigmask(SIG_SETMASK, &me->kmask, NULL);
}

int sched_bind(struct thread *me)
{
	if (me->kind != THREAD_USER)
		return 0;
	if (me->is_bare)		/* a kernel thread's robust list, rseq and so on are in a TLS block */
		return -EAGAIN;
	rt_enter();
	struct activation *host = spare_take_to_end();

	if (!host)
		host = activation_create(me->act->vproc, false);
	if (!host) {
		rt_leave(me);
		return -EAGAIN;
	}
	struct activation *a = me->act;
	if (load_relaxed(&a->vproc->wake) == VW_BLOCKED)
		vproc_unannounce(a->vproc);	/* in a handler, amid a blocking call */
	struct thread *next = pick(a->vproc, NULL, POST_NONE);

	while (next && !can_run(a, next))
		next = pick(a->vproc, NULL, POST_NONE);
	cpu_charge(a, me, arch_ticks());

	switch_to_host(a, me, next ? next : &a->idle, host);
	settle(me);
	compiler_barrier();
	me->in_rt = 0;
	return 0;
}

/* When it ends, so does its kernel thread, by libc's own doing: posix/thread.c. */
int sched_bind_main(struct thread *me)
{
	rt_enter();
	struct activation *a = me->act;
	struct vproc *vp = a->vproc;

	cpu_charge(a, me, arch_ticks());
	me->is_one_to_one = true;
	me->kind = THREAD_BOUND;
	store_relaxed(&thread_has_bound, 1);
	store_release(&sched_lone, NOT_LONE);		/* pairs: lone */
	if (!make(vp, true)) {
		vproc_set_owner(vp, a);
		me->is_one_to_one = false;
		me->kind = THREAD_USER;
		rt_leave(me);
		return -EAGAIN;
	}
	source_detach_host(a);
	settle(me);
	compiler_barrier();
	me->in_rt = 0;
	return 0;
}

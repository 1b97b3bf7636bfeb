// SPDX-License-Identifier: BSD-2-Clause
/*
 * Inside sched/ and upcall/: vprocs, activations, and the rules by which one moves between others.
 *
 * Ownership.  `owner` is the one word that says which activation runs a vproc.  Only its owner
 * touches the vproc's owner-only data, and only between rt_enter and rt_leave.  A spare takes over
 * in two steps, so that neither side can miss the other (a Dekker handshake; owner and spare share
 * a CPU, so compiler barriers suffice, else the spare issues a membarrier):
 *
 *	owner, rt_enter:  in_rt = 1;                    read owner: still me? go on, else rt_lost
 *	spare, take_over: owner = me | VP_TENTATIVE;    read in_rt: 0? owner = me, else owner = old
 *
 * An owner that finds the tentative mark clears in_rt and yields until the spare has decided.
 *
 * Wake states of a vproc (`wake`): who must do what to make it look for work.
 *   VW_AWAKE     nothing: it runs threads or is looking
 *   VW_KICKED    nothing: somebody asked already
 *   VW_POLLING   its owner sleeps in io_poll: io_kick
 *   VW_SLEEPING  its owner sleeps on `wake`: futex wake
 *   VW_BLOCKED   its owner blocks in a system call and nothing else was there to run: arm the spare
 *   VW_OFF       it has no activation yet: give it one
 * A vproc in one of the last four has its bit set in sched.idle; whoever clears the bit kicks it.
 * Order:
 *   idle.announce  sleeper: set idle bit (RMW), look at every queue; pusher: push (RMW or fence),
 *                  read the idle bits
 *   idle.signal    handler: set pending, then CAS wake from sleeping to kicked, cmd from sleep to look;
 *                  sleeper: CAS wake to sleeping, look at pending, sleep while wake (cmd) says so
 *   confine        who makes a system call that libc's threads do not need: count itself (RMW), look whether that
 *                  is still allowed; who confines the process: forbid it, wait until nobody counts; and so with
 *                  who is about to sleep in the poller, which counts by `poller`, and with the monitor's doze, by its rest
 *   rest           the monitor: say that it rests, look at every vproc and the bell; who begins to work, or rings: say so,
 *                  look whether it rests
 *   kicks          who sends our signal: count itself so, look whether its receiver refuses; who is about to exec: refuse,
 *                  wait until nobody counts
 *   arm            pusher: push, fence, read armed; spare: clear armed, fence, look again
 *   lone           owner of a lone vproc, inside: read sched_lone, change what is only changed there; outsider: change
 *                  sched_lone, make the fence on both sides, wait until the owner is not inside, or not where it was
 *
 * A lone vproc pushes without a fence: nobody else sleeps, a handler that pushes runs on the
 * sleeper's own kernel thread, and a spare that disarms itself makes the fence on both sides.
 *
 * Time.  Reading the clock costs as much as all the rest of a switch, so a vproc that switches fast
 * does so only at every n-th switch: it *looks*.  `looks_left` counts down; how many switches lie
 * between looks follows from how fast they come; the monitor zeroes it at each tick.  A look charges
 * the thread that leaves with the CPU time since the last one.  So an account is exact where threads
 * run for long, and a fair sample where they do not.  What else is rare is looked at there too: who announces
 * a block zeroes `looks_left`; what goes on for long, and makes each switch another, is in sched_special.
 */
#ifndef UPCALL_VPROC_H
#define UPCALL_VPROC_H

#include "../base/clock.h"
#include "../base/lock.h"
#include "../base/print.h"
#include "../sys/probe.h"
#include "../sys/sys.h"
#include "../thread/tls.h"
#include "runq.h"
#include "sched.h"

#define SCHED_GRAIN_NS (500 * NS_PER_US)	/* sched.grain_ticks */
#define SCHED_SLICE_NS (10 * NS_PER_MS)		/* unless it is set */
#define SCHED_SHORT_SLICE_NS (100 * NS_PER_US)	/* the monitor's of the kernel, in haste: the least that it gives */
#define SCHED_SPARE_SLICE_NS (200 * NS_PER_US)	/* a spare's then */
#define SCHED_HOG_GRAIN_NS (100 * NS_PER_US)	/* sched.hog_grain_ticks */

enum { VPROCS_MAX = PROBE_VPROCS_MAX, VP_TENTATIVE = 1, LOOKS_ARE_FREQUENT = 8, WAKES_UNTIMED = 1 };
struct source;
struct abi_slot;
enum vproc_wake { VW_AWAKE, VW_KICKED, VW_POLLING, VW_SLEEPING, VW_BLOCKED, VW_OFF };

/* What a sleeping spare is told (activation.cmd). */
enum spare_cmd { CMD_SLEEP, CMD_LOOK, CMD_ARM, CMD_RUN, CMD_BIND, CMD_EXIT };

/* What happened to the thread that was switched away from, done on the next thread's stack. */
enum post { POST_NONE, POST_PARK, POST_YIELD, POST_PREEMPT, POST_LOST, POST_BIND, POST_EXIT, POST_SPAWN };

struct timer_heap {
	struct lock lock;
	struct timer *root;
	struct au64 next_ns;		/* deadline of the root, NEVER if none; written under lock */
};

/* Used descriptors at hand, the newest first, and a chain of the ones before: see warm.c. */
struct warm {
	struct thread *first, *aside;
	unsigned n;			/* of first */
};

enum { EAGER_MAX = 64 };	/* vproc.eager, at first too */
enum { PATIENCE = 32 };		/* vproc.patience after a short block */
enum { WATCH_CREDIT = 64, WATCH_CREDIT_MAX = 256 };	/* so often may it be armed for each surprise, and for all */

struct vproc {
	struct au64 owner;		/* struct activation *, perhaps | VP_TENTATIVE */
	struct au32 wake;		/* enum vproc_wake */
	struct au32 armed;		/* its spare is looking */
	struct au32 spare_naps;		/* between two looks; who zeroes it wakes the spare */
	APTR(struct activation) spare;
	unsigned id;
	int cpu;			/* where it was when it last began to work; -1: there is but one */

	/* Owner only. */
	struct runq runq;
	uint32_t eager;			/* so many short waits from now, no other vproc is woken for what waits here */
	uint64_t wait_tsc;		/* since when something waits here while another vproc idles; 0: it does not */
	uint64_t watch_until_tsc;	/* it blocked by surprise lately: arm whenever it gets busy, */
	uint32_t watch_credit;		/* but only so many times more; see WATCH_CREDIT */
	uint32_t patience;		/* so many long blocks from now, its spare takes over without giving the owner a moment */
	uint64_t nudge_tsc;		/* when its owner was last asked to let a woken thread run */
	struct au32 looks_left;		/* switches before the next look; others zero it, racily */
	uint32_t look_every;		/* what it starts from */
	uint64_t look_tsc;		/* the last look */
	uint64_t poll_tsc;		/* the last look at timers and descriptors */
	bool is_poll_due;
	uint64_t wakes_ticks;		/* traced, amid a look at descriptors: when the first wake was, or WAKES_UNTIMED */
	uint64_t spin_ticks;		/* how long an idle look-round may last */
	uint32_t short_sleeps;
	uint32_t random;
	struct warm bare, full;		/* bare threads of the usual size; threads with a block, of one class */
	struct stack_class *bare_class;	/* NULL: none has ended here */
	uint64_t trim_tsc, trim_seen;	/* the last warm_trim; look_of_list then */
	bool has_singles;		/* it gave stacks back one by one since then */
	struct au64 bare_born, bare_gone;	/* how many bare threads; see sched_is_last */

	struct timer_heap timers;
	struct spin_look {
		uint64_t turn;		/* `switches` then */
		uintptr_t pc;
		uint64_t registers[ARCH_REGISTERS];
	} spin_look;			/* where its thread was when it was last asked whether it spins */

	/* Counters: one writer, the owner. */
	struct au64 switches, steals, preemptions, deferrals, parks, polls;
	struct au64 extensions;		/* sections to whose end the kernel left the processor */
	struct au64 spins;		/* threads that gave way as they spun */
	struct au64 io_waits;		/* parks on a descriptor */
	struct au64 wakeups;		/* ends of its own sleeps */
	struct au64 upcalls_blocked;
	struct au64 idle_ns;
	struct au64 asleep_tsc;		/* since when it sleeps; 0: it does not */
	struct au64 blocked_tsc;	/* since when its owner is in an announced call; 0: it is not */
	struct au64 blocked_ticks;	/* in such calls before */

	/* From the kernel half (upcall/scx.c). */
	const volatile uint32_t *visitors;	/* activations that are held in the kernel */
	const volatile uint32_t *owes;		/* its turn is over, and it may go on to the end of a section */
	const volatile uint32_t *warnings;	/* so often its turn was about to end */
	const volatile uint64_t *warned_ns;	/* when it ends, or 0 */
	struct au32 warnings_seen;
	struct au64 taken_at_ns;	/* it may run no more threads from then on; 0: it may, or at once */

	/* The monitor's notes. */
	uint64_t seen_switches, seen_ns, seen_idle_ns, balanced_ns;
	uint64_t seen_spins, asked_switches;	/* the turn in which its thread was last asked whether it spins, */
	unsigned asks;			/* so often; */
	uint64_t ask_ticks;		/* so far into it for the first time */
	struct activation *seen_owner, *told_owner, *share_owner;
	uint64_t share_cpu_ns;		/* that one's clock when cpus_look was there last; whose notes these three are */
	unsigned starved;		/* so many looks in a row found that it got next to nothing */
	unsigned refusals;
	bool seen_unarmed;

	/* The thieves': in which turn the thread that it had just woken was left to it, and since when. */
	struct au64 woken_turn, woken_tsc;
	struct au32 spin_credit;	/* what spinning for locks was worth here of late; an int */
	/* Others': see sched_spin_begin. */
	APTR(const void) spins_on __attribute__((aligned(64)));
} __attribute__((aligned(128)));

/* The kernel's struct rseq, longer than any that it has so far: extension.c. */
struct rseq_area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t critical;
	uint32_t flags, node, memory_map_cpu;
	union {
		struct { uint8_t request, granted; } slice;
		uint32_t slice_word;
	};
	uint8_t later[32];
} __attribute__((aligned(64)));

struct activation {
	APTR(struct thread) thread;	/* what it runs: a USER thread or its own idle context */
	struct vproc *vproc;		/* which it owns, or owned last */
	int tid;
	struct au32 cmd;		/* enum spare_cmd; a futex */
	enum post post;
	void *left_from;		/* ARCH_CALLER of the function in which its last thread left */
	struct thread *post_thread;
	struct lock *post_lock;		/* POST_PARK: dropped when it is off its stack */
	struct thread *guest;		/* CMD_BIND: the thread that it is to carry for good */
	struct au64 kmask;		/* the kernel's signal mask of this kernel thread; see kmask.c */
	struct au32 is_told_mask;	/* it is to look at sched_idle_kmask, and was told; see idle_take_mask */
	struct au32 is_mask_late;	/* that took it too long: it is not waited for until it has taken a mask */
	uint64_t tsc;			/* CPU time up to here is charged, in arch_ticks */
	struct au64 cpu_base_ns;	/* see cputime.c */
	uint64_t system_base_us;	/* the same for system time; valid if knows_system */
	bool knows_system;
	bool clock_paused;		/* its thread announced a block, which is not computing */
	int pinned_cpu;			/* -1: not; guarded by pin_lock, a glance without it may be stale */
	bool is_unpinnable;		/* it is about to fork: a child inherits its mask */
	struct au32 refuses_kicks;	/* it is about to exec, and blocks our signal: a new program inherits what is pending */
	struct au32 has_short_slice;	/* it has a short slice in the kernel; guarded by pin_lock */
	struct lock pin_lock;
	struct thread idle;
	void *idle_stack, *idle_tls;
	void *guest_tls;		/* what it runs bare threads on (bare.c); NULL: none yet */
	void *altstack;
	struct activation *next;	/* in sched.spares; guarded by sched.spare_lock */
	struct list all_link;		/* guarded by sched.all_lock */
	struct au32 alive;		/* kernel clears it when the kernel thread is gone */
	struct au32 is_lost;		/* its thread lost the vproc and has not looked yet */
	uint64_t lost_ticks;
	struct rseq_area rseq;
	bool is_main;
	bool has_forked;		/* it may be the parent of children: these are signalled when it ends (PR_SET_PDEATHSIG) */
	bool is_assigned;		/* a vproc's spare, or about to own one: not for the spare list */
	struct au64 seen_cpu_ns;	/* without perf: its CPU time at the last look */
	struct au32 is_seen_running;	/* without perf: the clerk has found that it was not blocked */
	struct au32 errands;		/* what the clerk is to do for it */
	struct au64 blocked_cpu_ns;	/* it was seen blocked when this was its CPU time */
	struct au32 alarm;		/* upcall/alarm.c */
	int alarm_fd, alarm_tid;	/* the clerk's descriptor, and for which kernel thread: 0, there was none */
	bool alarm_is_closed;		/* clerk only */
	/* upcall/: who tells of it, and where. */
	APTR(const struct source) source;
	uint32_t source_generation;	/* itself: it chose its source when this was source_generation */
	APTR(char) perf_area;
	bool perf_is_late;		/* its records begin amid its life */
	uint64_t perf_seen, perf_out_ns;	/* monitor only: records so far; when it lost its processor, 0: it did not */
	uint32_t preempts_seen;		/* monitor only */
#ifdef UPCALL_INJECT
	bool was_blocked, said_blocked;	/* what its source said last, and what has been made of that */
	bool is_swapped;		/* the next event is told before the last one */
	uint64_t wrong_ns, right_ns;	/* from when to when the contrary of what it says is said */
#endif
	uint32_t slot_number;		/* in upcalld's page; 0: none yet */
	APTR(const struct abi_slot) slot;
};

struct sched {
	struct au32 nvprocs;		/* made so far: only more, by the monitor (limits_follow) */
	struct au32 wants_thieves;	/* a lone vproc's owner is to say that it minds some (vproc_look) */
	struct au32 limit;		/* vprocs 0 .. limit-1 may run: follows affinity and quota */
	struct au32 stealing_limit;	/* the same where work stealing decides what they run, else 0 */
	bool was_pinned;
	bool has_spawned;		/* the kernel threads that the first new thread takes are there */
	struct au32 nstrange;		/* between strange_begin and strange_end */
	struct au32 lacks_activation;	/* a bound thread had work for a vproc that has no kernel thread: the monitor sees to it */
	struct au32 keeps_spares;	/* the program has an io_uring: the kernel undoes what a kernel thread asked of it when that ends */
	bool keeps_cpus;		/* a vproc stays on its CPU, with all its activations (upcall/scx.c) */
	bool wants_extensions;		/* nobody has switched them off */
	bool may_extend;		/* and the kernel has time-slice extensions */
	struct au32 extends;		/* and gives them to some activation */
	bool is_patient;		/* the monitor asks for no short slices */
	bool has_alarms;		/* nobody has switched them off, or perf */
	struct au32 is_prompt;		/* it has one now, as have armed spares */
	bool lets_spin;			/* and no thread whether it spins */
	bool hears_nothing;		/* for measurement: a vproc whose owner blocks is lost meanwhile */
	unsigned allowed;		/* as many by affinity and quota, or by the user, when they were looked at last */
	int fixed_vprocs;		/* what the user said, 0: as many as allowed */
	struct vproc *vprocs;
	struct au64 idle[VPROCS_MAX / 64];	/* bit set: may be kicked */
	struct au32 nidle;
	struct au32 nsearching;		/* awake vprocs that look for work */
	struct au32 poller;		/* 1: somebody sleeps, or is about to, in io_poll */
	struct lock spare_lock;
	struct activation *spares;	/* asleep, given to no vproc */
	struct au32 nspares;
	struct lock all_lock;
	struct list activations, inherited;	/* the latter: see take_inherited, sched/start.c */
	struct au32 nactivations, activations_peak;
	struct au32 nlost;
	uint64_t slice_ns;		/* 0: off */
	uint64_t start_ns, start_ticks;
	uint64_t tick_ns_q32;		/* nanoseconds in a tick, times 2^32 */
	struct au32 cpu_exact;		/* the program asked for CPU time of threads */
	struct au32 cpu_splits;		/* and for their system time */
	uint64_t rate_ns, rate_ticks;	/* so many ticks in so many ns; fixed when it asked */
	uint64_t look_ticks;		/* looks should not lie further apart */
	uint64_t young_ticks;		/* so long a new thread is left to its maker's vproc */
	uint64_t woken_ticks;		/* so long a woken thread is left to its waker's vproc, where that does not switch */
	uint64_t poll_ticks;		/* a busy vproc looks at timers and descriptors this often */
	uint64_t watch_ticks;		/* how long a surprising block is remembered */
	uint64_t moment_ticks;		/* what a spare gives an owner to come back, where blocks are short of late */
	uint64_t blocks_ticks;		/* who has been blocked for so long, and done little else, only blocks */
	uint64_t grain_ticks;		/* a running thread gets this much before a woken one preempts it */
	uint64_t hog_grain_ticks;	/* the same for one that computes, where no other woken one waits */
	uint64_t turn_ticks;		/* so much, and a thread that asks for work lets woken ones go first */
	uint64_t cold_ticks;		/* the cold ring has a turn this often */
	uint64_t slice_ticks;
	uint64_t lazy_ticks, laziest_ticks;	/* a lazily woken thread should not wait longer; and where CPUs are short */
	struct au32 cpus_are_shared;	/* cpus.c: other programs want them, too, */
	struct au32 cpus_are_short;	/* and fewer vprocs would do */
	uint64_t idle_spin_ticks;	/* an idle vproc looks round for this long at most */
	unsigned long affinity[CPU_SETSIZE / (8 * sizeof(long))];	/* the program's own mask */
	size_t affinity_bytes;
	struct sys_policy policy;	/* how the kernel scheduled the program when threads began */
	struct au64 alarms;		/* by which one that lost its vproc was told */
	struct au64 overlap_max_ns, overlaps, overlaps_late;	/* late: beyond the source's bound */
	struct au64 upcalls_added, upcalls_unblocked, upcalls_preempted;
	struct au32 has_monitor;
	struct au32 stop;		/* fork child: the monitor is gone */
};

#pragma GCC visibility push(hidden)

extern struct sched sched;

/*
 * What makes each switch pass by all that is unusual, instead of at looks only: a policy; vprocs that may not run;
 * the kernel's scheduler is ours (upcall/scx.c); CPU time is to be exact.
 */
enum { SPECIAL_POLICY = 1, SPECIAL_LIMIT = 2, SPECIAL_HELD = 4, SPECIAL_EXACT = 8 };
extern struct au32 sched_special;
void sched_set_special(uint32_t bit, bool is_so);

static inline unsigned vprocs_made(void)
{
	return load_acquire(&sched.nvprocs);
}

static inline struct activation *vproc_owner(const struct vproc *vp)
{
	return (struct activation *)(load_acquire(&vp->owner) & ~(uint64_t)VP_TENTATIVE);
}

/* Inside the runtime: the vproc that me owns, or NULL. */
static inline struct vproc *vproc_of(const struct thread *me)
{
	return me->kind == THREAD_USER ? me->act->vproc : NULL;
}

/* Nanoseconds in so many ticks, as the calibration at start has them. */
static inline uint64_t ns_of_ticks(uint64_t ticks)
{
	return (uint64_t)((__uint128_t)ticks * sched.tick_ns_q32 >> 32);
}

/* When a lost its vproc, on the clock of `now`. */
static inline uint64_t activation_lost_ns(const struct activation *a, uint64_t now)
{
	return now - ns_of_ticks(arch_ticks() - a->lost_ticks);
}

static inline bool is_owner(const struct activation *a)
{
	return load_relaxed(&a->vproc->owner) == (uint64_t)(uintptr_t)a;
}

/* Its owner is back from an announced call, or another has taken it over. */
static inline void vproc_count_blocked(struct vproc *vp, uint64_t tsc)
{
	uint64_t since = load_relaxed(&vp->blocked_tsc);

	if (since) {
		store_relaxed(&vp->blocked_tsc, 0);
		count_add(&vp->blocked_ticks, tsc > since ? tsc - since : 0);
	}
}

/* The time, no older than a look where looks are frequent.  By the owner. */
static inline uint64_t vproc_now(const struct vproc *vp)
{
	return vp->look_every < LOOKS_ARE_FREQUENT ? arch_ticks() : vp->look_tsc;
}

/* It has used up a slice since it last waited for something: it computes.  From anywhere, a hint. */
static inline bool is_hog(const struct thread *t)
{
	return sched.slice_ticks && t->burst_ticks >= sched.slice_ticks;
}

/* Threads wait for descriptors, and no vproc sleeps where it would hear of them. */
static inline bool nobody_listens(void)
{
	return sched_hooks.io_has_waiters && sched_hooks.io_has_waiters() && !load_relaxed(&sched.poller);
}

/* The same of the thread that a runs, at `tsc`. */
static inline bool runs_hog(const struct activation *a, uint64_t tsc)
{
	return sched.slice_ticks && load_relaxed(&a->thread)->burst_ticks + tsc - a->tsc >= sched.slice_ticks;
}

/* Every switch passes here: is it time for a look? */
static inline bool look_is_due(struct vproc *vp)
{
	uint32_t left = load_relaxed(&vp->looks_left);	/* relaxed: when the monitor's 0 is lost, the next one does */

	if (unlikely(left == 0))
		return true;
	store_relaxed(&vp->looks_left, left - 1);
	return false;
}

/* switch.c */
void rt_regain(struct thread *me);	/* inside the runtime: who has lost its vproc waits here until it runs on one */
void sched_enter_idle(struct activation *a);
void let_spare_run(int tries);
void switch_to(struct activation *a, struct thread *prev, struct thread *next, enum post post);
void switch_to_host(struct activation *a, struct thread *prev, struct thread *next,
		    struct activation *host);
FLAT bool schedule(struct thread *me, enum post post);
void ready_local(struct vproc *vp, struct thread *t);
__attribute__((noinline)) void ready_remote(struct thread *t);
COLD void ready_first(struct thread *t);
void ready(struct thread *t);
/* cputime.c: charges t with what was computed on a since the last charge */
__attribute__((noinline)) void cpu_charge(struct activation *a, struct thread *t, uint64_t tsc);
void cpu_start(struct thread *me);
void cpu_bind(struct activation *a);
void clock_pause(struct thread *me);
void clock_resume(struct thread *me);
/* idle.c */
void idle_loop(struct activation *a) __attribute__((noreturn));
/* What vp runs next, after me, which goes on, waits or ends as `post` says; NULL, NONE: after nobody. */
__attribute__((noinline)) struct thread *pick(struct vproc *vp, struct thread *me, enum post post);
struct thread *take_next(struct vproc *vp);	/* the same, where nothing is special */
/* idle.c: a look (see above) by t, which runs on a or is about to leave it. */
__attribute__((noinline)) void vproc_look(struct activation *a, struct thread *t);
void vproc_hear(struct activation *a, struct thread *t);	/* by its owner: what others have posted */
bool work_exists(const struct vproc *vp);
__attribute__((noinline)) bool kick_one(void);
void vproc_kick(struct vproc *vp);
bool vprocs_are_idle(void);		/* or blocked: none runs a thread, or is about to */
void idle_bit_set(struct vproc *vp);
__attribute__((noinline)) void housekeeping(struct vproc *vp);
COLD void vproc_vacate(struct vproc *vp);
bool idle_bit_clear(struct vproc *vp);
void idle_signals(struct activation *a);
/* activation.c */
struct activation *activation_create(struct vproc *vp, bool is_owner);
/* There was none: a bound thread, which is to make none, leaves it to the monitor, once who lacks it can be found. */
COLD void activation_ask(void);
struct activation *spare_take(void);
/* posix/ gives me, a USER thread, a kernel thread of its own when it next leaves the runtime; false: none is to be had so. */
bool bind_soon(struct thread *me);
/* One whose kernel thread may end: not the process itself, nor one that children or rings depend on. */
struct activation *spare_take_to_end(void);
void spare_give(struct activation *a);
void activation_run(struct activation *a, struct vproc *vp);
void activation_pin(struct activation *a, int cpu);
COLD void activation_host(struct activation *a, struct thread *t);
void activation_unpin(struct activation *a);
void activation_hurry(struct activation *a, bool is_short);	/* a vproc's spare; false: anybody */
/* Nothing where another is about to do such a thing. */
void activation_try_unpin(struct activation *a);
void activation_try_hurry(struct activation *a, bool is_short);
void activation_rest(struct activation *a);	/* it slept, and was an armed spare in other times, perhaps */
struct activation *activation_create_main(struct thread *me);
/* A kernel thread that runs nothing but fn, once. */
enum helper { HELPER_MONITOR, HELPER_CLERK };
int helper_create(enum helper which, int *tid, void (*fn)(void *));
extern int monitor_tid;
/* Before and after system calls that libc's threads do not need; false: they are not to be made (sched_is_confined). */
static inline bool strange_begin(void)
{
	fetch_add(&sched.nstrange, 1);		/* pairs: confine */
	if (likely(!load_seq_cst(&sched_is_confined)))
		return true;
	fetch_sub(&sched.nstrange, 1);
	return false;
}

static inline void strange_end(void)
{
	fetch_sub(&sched.nstrange, 1);
}

void activation_exit(struct activation *a) __attribute__((noreturn));
/* kmask.c: on the activation itself */
COLD void activation_set_mask(struct activation *a, uint64_t mask);
void activation_note_mask(struct activation *a, uint64_t mask);	/* the kernel has it, or will before it delivers a signal */
void idle_take_mask(struct activation *a);
/* spare.c */
bool spare_wait(struct activation *a);
COLD void vproc_arm(struct vproc *vp);
bool vproc_expects(const struct vproc *vp);	/* a timer, or what comes on a descriptor and nobody listens to */
bool vproc_is_wanted(const struct vproc *vp);	/* that, or here or elsewhere something waits that it could run */
__attribute__((noinline)) void vproc_arm_watched(struct vproc *vp);
/* By its owner, or a waker: it blocked by surprise lately. */
static inline void vproc_arm_if_wise(struct vproc *vp)
{
	if (unlikely(vp->watch_until_tsc))
		vproc_arm_watched(vp);
}
COLD void vproc_unannounce(struct vproc *vp);
/* timer.c */
void timers_run(struct vproc *vp, uint64_t now);
void timers_init(struct timer_heap *h);
static inline bool vproc_is_allowed(const struct vproc *vp)
{
	return vp->id < load_relaxed(&sched.limit);
}

/* warm.c */
struct thread *warm_take_bare(struct vproc *vp);
void warm_pass_stack(struct vproc *vp, struct thread *t);
/*
 * Before vp sleeps: memory that deep stacks have left goes back to the kernel.  False: not as soon as that after the
 * last time; again in WARM_TRIM_NS.
 */
enum { WARM_TRIM_NS = 5000 * NS_PER_US };
bool warm_trim(struct vproc *vp);
void warm_fork_child(void);
/* bare.c: a gets a guest block; false: t waits for one, and will be made ready again */
bool bare_admit(struct activation *a, struct thread *t);
void bare_release(struct activation *a);
void bare_fork_child(struct thread *me);
void first_fork_child(void);
static inline bool can_run(struct activation *a, struct thread *t)
{
	return likely(!t->is_bare || a->guest_tls) || bare_admit(a, t);
}
/* Writes self_ptr where t will find it. */
static inline void bare_settle(struct activation *a, struct thread *t)
{
	t->tls = a->guest_tls;
	tls_set_self(t->tls, t);
}

/* defer.c */
COLD bool sched_defers(struct thread *me);
bool sched_is_granted(struct activation *a);
/* extension.c: the kernel's time-slice extension; by the activation itself, and by who begins and ends a section. */
void extension_init(void);
void extension_start(struct activation *a);
void extension_fork_child(const struct thread *me);
void extension_ask(struct thread *me);
void extension_end(struct thread *me);
bool sched_is_in_section(struct thread *t);	/* and has not been in one for too long */
/* preempt.c */
enum { ALT_STACK = 32 * 1024 };		/* an activation's, for signals */
enum { PREEMPT_SIGNAL = SIGURG };
_Static_assert(SCHED_SIGNAL == UINT64_C(1) << (PREEMPT_SIGNAL - 1), "the same");
void preempt_init(void);
int preempt_probe(void);		/* may we send ourselves signals?  0 or -errno */
void preempt_send(struct activation *a, bool force);
void preempt_spinner(struct activation *a);	/* it gives way only if it is in a loop that waits */
COLD void preempt_forget(struct thread *t);	/* it has ended: its stack for frames */
void preempt_poke(struct activation *a);	/* only looks round: at its signals, at its source */
void vproc_nudge(struct vproc *vp);
/* upcall/: is this activation blocked in the kernel? */
bool source_is_blocked(struct activation *a);
bool source_is_running(struct activation *a);
void source_attach(struct activation *a);	/* on the activation itself */
void source_detach(struct activation *a);
void source_detach_host(struct activation *a);	/* the same, where a->guest is about to have it for good */
void source_configure(void);
void source_init(void);
/* clerk.c: the quota of the control groups in thousandths of a CPU, 0: none */
uint64_t clerk_quota(void);
void clerk_ask_idle(void);	/* cpus_look, soon */
void clerk_ask_share(void);	/* share_ask, soon */
void clerk_start(void);
void clerk_keep_queues(void);	/* the program is to be notified of messages */
void clerk_fork_child(void);
extern int clerk_tid;
/* share.c: processors by upcalld */
void share_configure(bool is_allowed);
unsigned share_limit(void);			/* so many vprocs at most; 0: it says nothing */
bool share_tick(uint64_t now, unsigned wanted);	/* the monitor; true: share_limit has changed */
void share_rest(void);				/* it is about to sleep: nothing is wanted */
void share_ask(void);
void share_fork_child(void);
void source_tick(uint64_t now);			/* on the monitor */
void source_fork_child(void);
/* alarm.c: tells one that comes back without its vproc: the monitor has it set, or forgets it; the handler of its signal asks */
void alarm_ask(struct activation *a);
void alarm_forget(struct activation *a);
bool alarm_take(struct activation *a, const siginfo_t *info);
void alarm_drop(struct activation *a);	/* none is of use any more */
void alarm_end(struct activation *a);	/* by who runs on a, outside the runtime: none comes any more */
/* upcall/scx.c, where the kernel's scheduler is ours: who runs a vproc, and who when that one blocks */
void scx_tell_owner(struct vproc *vp, struct activation *a);
void scx_tell_spare(struct vproc *vp, struct activation *a);
bool scx_schedules(struct activation *a);
void scx_leave(struct activation *a);
void scx_return(struct activation *a);
static inline void vproc_set_owner(struct vproc *vp, struct activation *a)
{
	store_release(&vp->owner, (uint64_t)(uintptr_t)a);
	scx_tell_owner(vp, a);
}
extern const uint32_t scx_nothing;
extern const uint64_t scx_never;
uint64_t source_in_since(struct activation *a);
uint64_t source_blocked_since(struct activation *a, uint64_t now);	/* 0: it is not; unknown: since it lost its vproc */
uint64_t source_overlap_bound(struct activation *a);	/* the longest that it is meant to run beside its replacement */
unsigned source_preemptions(struct activation *a);	/* on the monitor: since it was asked last */
extern const struct source source_look;
extern struct au32 source_generation;
/* On the activation itself, where it can make system calls: a better source may be there, or its own gone. */
static inline void source_refresh(struct activation *a)
{
	if (unlikely(a->source_generation != load_relaxed(&source_generation)))
		source_attach(a);
}
/* start.c: looks at the mask and the quota again. */
void limits_follow(void);
/* cpus.c: the program's mask, read again; which CPU each vproc is thought to be on to begin with. */
void cpus_read(void);
bool cpus_ask(void);				/* by the monitor; true: the untied may follow, from now on */
const unsigned long *cpus_untied(void);		/* the mask that they are given */
void cpus_assign(unsigned first);	/* the vprocs from that number on */
/* A CPU for vp to be armed on: `cpu` if no other vproc is at work there, else a free one. */
int vproc_cpu(const struct vproc *vp, int cpu);
void cpus_tick(uint64_t now, bool can_ask);	/* the monitor: do other programs want the CPUs, too? */
void cpus_look(void);		/* the clerk: which are idle; ties vprocs to those */
int monitor_start(void);
void monitor_wake(void);
void monitor_leave_doze(void);
uint64_t monitor_rested_until(uint64_t now);	/* for what the activations without vprocs ran beside */
void monitor_fork_child(void);
void monitor_expect(uint64_t deadline_ns);	/* it looks by then */
enum monitor_rest { MONITOR_UP, MONITOR_SLEEPS, MONITOR_DOZES, MONITOR_DUE, MONITOR_CALLED };
extern struct au32 monitor_rest;
COLD void monitor_rouse(void);
/* A vproc begins to work: the monitor is to look by the next tick. */
static inline void monitor_begin(void)
{
	uint32_t rest = load_relaxed(&monitor_rest);

	if (rest == MONITOR_SLEEPS || rest == MONITOR_DOZES)
		monitor_rouse();
}

#pragma GCC visibility pop

#endif

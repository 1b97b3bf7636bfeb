// SPDX-License-Identifier: BSD-2-Clause
/*
 * The seam between what runs when, and everything above: spawn, park, unpark, yield.
 *
 * A vproc stands for one processor that the process may use.  It is owned by exactly one activation
 * (a kernel thread), which runs the vproc's threads.  When the owner blocks in the kernel a spare
 * takes the vproc over; when it wakes it finds that it lost, and its thread waits its turn.
 *
 * Inside the runtime.  What belongs to a vproc is touched only between rt_enter and rt_leave:
 * rt_enter makes sure that the caller owns a vproc (a thread that lost its own waits here until it
 * runs on one again) and that it is neither preempted nor replaced until rt_leave.  For a BOUND
 * thread both only defer signals.  They do not nest.  Between them: no libc call that may lock,
 * allocate or block; no touch of the program's memory that may fault slowly, save the word that is
 * being waited on; whatever was read of the activation or vproc is read again after each park.
 *
 *	me = rt_enter();
 *	... queue me somewhere, under that queue's lock ...
 *	park(me, lock);    drops the lock when me is off its stack; returns after exactly one unpark(me)
 *	rt_leave(me);
 *
 * So a waker, who takes me out of the queue under that lock, always finds me parked.  (BOUND threads
 * drop the lock and sleep on their state instead: lot.c.)
 */
#ifndef UPCALL_SCHED_H
#define UPCALL_SCHED_H

#include "../arch/arch.h"
#include "../base/lock.h"
#include "../thread/thread.h"

#pragma GCC visibility push(hidden)

/* True from the first pthread_create on.  Before that nothing of ours runs beside the program. */
extern bool sched_is_started;
/* At load: the options, from the environment, which the program may change later. */
void sched_configure(void);
/* Before sched_start; what the environment says goes first.  A policy: 0, -EINVAL or -E2BIG. */
void sched_set_vprocs(unsigned n);
struct upcall_policy;
int sched_set_policy(const struct upcall_policy *p);
/* Another policy than work stealing is in use; it minds priorities. */
extern bool sched_has_policy, sched_has_priorities;
/* Inside the runtime: what is in force; and, with no lock held, who is to run where after that. */
void sched_set_priority_now(struct thread *t, int priority);
void sched_reconsider(void);
/* Makes the process multi-threaded: main, if it is the caller, becomes a USER thread.  0 or -errno. */
int sched_start(void);

/*
 * LONE: there is one vproc and no other thread than those that it runs.  What these change inside the runtime only,
 * none of them changes meanwhile.  Who is run by no vproc calls sched_mind_outsiders first: never again LONE.
 */
enum { NOT_LONE, LONE_NO_LONGER, LONE };
extern struct au32 sched_lone;
void sched_mind_outsiders(void);

struct thread *rt_enter(void);
void rt_enter_as(struct thread *me);	/* the same: me is the caller */
void rt_leave(struct thread *me);
/* Outside the runtime: the caller goes to the back of the queue. */
int sched_yield_now(void);		/* 0 */

/* Inside the runtime: */
/* The same; and t, if it is ready on the caller's vproc, is the next that runs there (runq_put_first). */
void sched_yield_to(struct thread *me, struct thread *t);
void sched_spawn(struct thread *t);	/* NEW -> READY */
void sched_spawn_on(struct thread *t, unsigned vproc);	/* the same, on that vproc if nobody takes it away */
void sched_wants_listener(struct thread *me);	/* which is about to wait for the poller, and is counted there */
int sched_vproc_of(struct thread *me);	/* -1: it has a kernel thread of its own */
/*
 * Bare threads, which have no TLS block (bare.c, first.c).  start: outside the runtime, before the first
 * one, 0 or -errno; create: stack_bytes 0 is the usual size, NULL is no memory; spawn_first: t runs
 * at once, from `entry` on, and me when its turn comes.
 */
extern bool sched_has_bare;		/* it has been started */
int sched_start_bare(void);
struct thread *sched_create_bare(struct thread *me, size_t stack_bytes);
void sched_spawn_first(struct thread *me, struct thread *t, void (*entry)(void));
/* Outside the runtime: a NEW thread with a TLS block; see thread_create.  0 or -EAGAIN. */
int sched_create(size_t stack_bytes, size_t guard_bytes, void *user_stack, struct thread **ret_t);
/* Gives the memory of a thread that is DONE back. */
void sched_recycle(struct thread *t);
/* The caller is about to block without leaving its vproc: memory that deep stacks have left goes back to the kernel. */
void sched_trim(void);
/* me ends; inside the runtime.  True if it is the last, and the process with it. */
bool sched_count_out(struct thread *me);
/* A thread that is libc's own, but that the process lives for as for ours: it is about to be; it is no more, as above. */
void sched_count_libc(void);
bool sched_count_out_libc(void);
_Noreturn void sched_exit(struct thread *me);	/* leaves the stack for ever; then done=1 or recycled */

void park(struct thread *me, struct lock *lock);	/* a USER thread */
void park_bound_begin(struct thread *me);	/* a BOUND one: sleeps on its state, before the lock is dropped; */
void park_bound_end(struct thread *me);		/* woken, or out of the queue by itself */
void unpark(struct thread *t);		/* from anywhere inside the runtime */
void unpark_by(struct thread *me, struct thread *t);	/* the same: me is the caller */

/* At deadline_ns sched_hooks.timeout(me, seq) is called, from some vproc, unless cleared before. */
__attribute__((noinline)) void timer_set(struct thread *me, uint64_t deadline_ns, uint32_t seq);
__attribute__((noinline)) void timer_clear(struct thread *me);

/*
 * The thread is between two pieces of work, about to ask for the next: if it has had a good turn and
 * others were woken meanwhile, they go first.  Outside the runtime.
 */
void sched_turn(struct thread *me);

/* True when nothing else in the process could use this vproc: a call may simply block. */
bool sched_is_alone(struct thread *me);
/* Are there others ready on its vproc, of which none computes for long? */
bool sched_has_short_company(struct thread *me);
/* Another thread has just blocked in the kernel: what it waits for me has done, perhaps. */
bool sched_has_partner(struct thread *me);

/*
 * Where a thread does nothing but block in the kernel, each block costs a spare's wake-up and the change of the
 * vproc's kernel thread, and nothing is saved: with a kernel thread of its own it goes on as soon as it is woken.
 * Whether posix/ is to give it one (bind_soon), and to who computes where no frame can be put (preempt.c).
 */
extern bool sched_binds_blockers;

/*
 * Around a system call that may block, outside the runtime.  The vproc shows as free meanwhile, so
 * work that arrives takes it at once.  begin_block .. end_block may be nested in nothing.
 */
void sched_begin_block(struct thread *me);
void sched_end_block(struct thread *me);

/* First call of a new thread's first frame: what a switch leaves to be done.  Inside the runtime. */
void sched_thread_starts(struct thread *me);
/*
 * Gives the calling USER thread an activation of its own for good: it becomes BOUND, with the
 * program's own CPU mask, and the kernel schedules it.  Outside the runtime.  0 or -EAGAIN.
 */
int sched_bind(struct thread *me);
/* The same for main, when threads have just started: it keeps the kernel thread that it has always had. */
int sched_bind_main(struct thread *me);
/*
 * The program has given itself a filter of system calls (seccomp) that knows what libc's threads need, and may kill
 * who makes any other: from now on the runtime makes none.  Threads are bound by then, or will be when they leave
 * the kernel.
 */
extern struct au32 sched_is_confined;
void sched_confine(void);		/* waits for those that are at it */

/* Is sp on the stack where me's frame waits for its next turn if it has no room elsewhere? */
bool sched_is_on_frame_stack(const struct thread *me, uintptr_t sp);
/* defer.c: between them, which nest, the calling thread is not preempted, within a bound. */
void sched_nopreempt_begin(void);
void sched_nopreempt_end(void);

/* How many vprocs there are, and how many threads. */
unsigned sched_vprocs(void);
/*
 * A thread that spins says on what, for sched_has_spinner: is another vproc's thread seen to?  That is a hint: it may have
 * stopped, or have been preempted; and of many vprocs some are looked at.  Who finds it wrong takes it back.  False: it
 * is not to spin, as of late that was in vain, and others are ready here.
 */
bool sched_spin_begin(const void *what);
void sched_spin_end(bool has_paid);
bool sched_has_spinner(const void *what);
void sched_deny_spinner(const void *what);
/*
 * Does a thread that is found by its mark, or if that is 0 by its number, run?  True also where that is not known.
 * place: where it was found last, at first 0; who asks again sees to that vproc before others.
 */
bool sched_may_run(uint32_t mark, int tid, unsigned *place);
/* In a forked child, on the only thread left: everything back to "not started". */
void sched_fork_child(struct thread *me);
void monitor_hurry(void);	/* it looks round within a millisecond */
/*
 * To the kernel the parent of a child is the kernel thread that a USER thread has at that moment: none that it has had between
 * the two is to end.
 */
void sched_before_fork(void);
void sched_after_fork(void);
/* In a child, whose kernel thread was none of ours: it gets the program's own CPU mask and slice back.  Leaves no word. */
void sched_leave(void);
/* Before fork, vfork, exec, posix_spawn the kernel thread gets the program's own CPU mask back. */
void sched_unpin(struct thread *me);
void sched_repin(struct thread *me);
/*
 * Between the two, before our signal is blocked there: the kernel thread is sent none any more, and has none pending.
 * What it was to make me look at, me looks at after sched_repin, when it enters the runtime.
 */
void sched_refuse_kicks(struct thread *me);
/* me has a kernel thread of its own, and is about to block our signal there: what would come is sent no more. */
void sched_refuse_alarms(struct thread *me);

/*
 * For posix/signal.  The kernel's mask of an activation is the mask of the thread it runs; idle
 * activations block sched_idle_kmask, the signals that no thread admits.
 */
extern struct au64 sched_idle_kmask;
extern struct au32 sched_unsettled;	/* live threads whose masks are not counted yet, as long as any are */
extern struct au32 sched_counts_masks;	/* some thread blocks a signal: hooks.left is called */
/* Everything but libc's signal that changes user and group IDs in every kernel thread. */
#define SCHED_BLOCK_ALL (~(UINT64_C(1) << 32))
/* SIGURG, the runtime's own: no thread of ours blocks it. */
#define SCHED_SIGNAL (UINT64_C(1) << 22)
/* SIGPIPE and SIGXFSZ, which the kernel sends to the kernel thread whose call fails. */
#define SCHED_OWN_SIGNALS (UINT64_C(1) << 12 | UINT64_C(1) << 24)
/* In a signal handler, on the native context `idle`: hooks.pending is called there soon. */
void sched_idle_signal(struct thread *idle);
void sched_set_kmask(struct thread *me, uint64_t mask);	/* the calling thread's, and the kernel's */
void sched_note_kmask(struct thread *me, uint64_t mask);	/* the kernel has it already */
/* Sends the kernel thread that runs t our signal, so that it looks at t->pending. */
void sched_kick_activation(struct thread *t);
/* In a confined process that signal, and the marks of signals, are what raise sends: is it one, or the program's? */
bool sched_may_be_kick(const siginfo_t *info);
/* The kernel thread that runs t now, or 0: a hint, it may change at once. */
int sched_tid_of(struct thread *t);
/* machine.c: the registers of t, which runs no more or waits: 0, -EBUSY (it runs), -EAGAIN (it is the caller), -ESRCH, ... */
struct upcall_machine;
int sched_machine(struct thread *t, struct upcall_machine *ret_m);
/* Of the runtime's own kernel threads, those of bound threads included, the lowest tid after this one, or 0: no more. */
int sched_next_kernel_thread(int after);
/* kmask.c: it admits more than before: tell(tid) for each activation that was not told since it last took it. */
void sched_tell_idle_mask(void (*tell)(int tid));
/* It blocks these, too, from now on, which activations perhaps do not yet. */
void sched_note_idle_mask(uint64_t more);
/*
 * Outside the runtime.  What idle activations have taken of `signals`, though no thread admits them, is queued when
 * this returns.
 */
void sched_settle_masks(uint64_t signals, void (*tell)(int tid));
uint64_t sched_cpu_ns(struct thread *t);
/* Of the calling thread: what of that, which it tells as well, was the kernel's. */
uint64_t sched_system_ns(struct thread *me, uint64_t *ret_all_ns);
/* The program's own CPU mask; returns how many bytes of `mask` were written. */
size_t sched_affinity(void *mask, size_t bytes);
/* Outside the runtime.  The most that the kernel lets the program have, which may be more; written as above. */
size_t sched_affinity_most(void *mask, size_t bytes);

/* What sched asks of higher rooms. */
struct sched_hooks {
	void (*timeout)(struct thread *t, uint32_t seq);	/* sync: a timed wait is over */
	void (*interrupted)(struct thread *t);			/* sync: it parked with such a bit pending */
	/*
	 * posix: signals and cancellation, outside the runtime.  With `uc` in the preemption's handler, with all signals
	 * blocked: handlers are to run when that returns.
	 */
	void (*pending)(struct thread *me, uint32_t bits, void *uc);
	int (*io_poll)(uint64_t deadline_ns);	/* io: waits for events (0: only looks) and unparks; number unparked */
	void (*io_kick)(void);			/* io: makes a waiting io_poll return */
	bool (*io_has_waiters)(void);
	void (*reported)(struct au32 *delivered);	/* native: an event was delivered, and somebody waits for that */
	bool (*io_is_ready)(uint64_t ns);	/* io: would a look find anything, within that time?  From anywhere */
	void (*tick)(uint64_t now);		/* each monitor tick */
	/* sync: me, which is being joined, is about to leave; a parked thread that waits for just that, to run next, or NULL */
	struct thread *(*exiting)(struct thread *me);
	void (*exited)(struct thread *t);	/* sync: t has left its stack for ever (inside the runtime) */
	int (*start)(void);	/* posix: makes the process multi-threaded; 0 or -errno */
	void (*born)(struct thread *parent, struct thread *t);	/* posix: t is made, not READY yet */
	void (*ending)(struct thread *me);	/* posix: me will run no more code of the program's */
	void (*values_end)(struct thread *me);	/* native, if it has keys: the destructors of me's values */
	void (*left)(struct thread *me);	/* posix: none of threads.live any more, NULL: never was (inside the runtime) */
	/* posix: the preemption signal came, but not from us (siginfo and context as the kernel gave them) */
	void (*foreign_signal)(int sig, siginfo_t *info, void *uc);
	/* posix: what is pending of `set` for this kernel thread is t's; NULL: nobody's any more (inside the runtime) */
	void (*keep_signals)(struct thread *t, uint64_t set);
	void (*forced)(struct thread *me);	/* posix: it has refused for long to give way: is it held where it need not be? */
	char *(*altstack)(const struct thread *me, size_t *ret_bytes);	/* posix: the program's for me; 0 bytes: none */
};
extern struct sched_hooks sched_hooks;

#pragma GCC visibility pop

#endif

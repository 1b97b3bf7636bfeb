// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a thread is: a descriptor, a stack, a TLS block.
 *
 * Every kernel thread that calls us and every user-level thread has a descriptor, found by `self`,
 * an initial-exec TLS variable: TLS moves with the thread, so its address is right across switches.
 * There are three kinds:
 *   USER   ours: runs on whichever activation owns the vproc that picked it
 *   BOUND  a kernel thread of its own (1:1, a foreign thread, or main before threads start): it
 *          parks on a futex and the kernel schedules it
 *   IDLE   the native context of an activation: its idle loop; always inside the runtime
 *
 * The life of a thread.  A state names who may touch it:
 *   NEW      its creator; nobody else can see it yet
 *   READY    the queue it is on; its registers are saved
 *   RUNNING  the activation that owns its vproc; who finds it on a queue waits until it is READY (is_exchanged)
 *   KERNEL   its activation, which blocked or lost its vproc, until it looks at `owner`
 *   PARKED   whoever took it out of the queue it waits in
 *   PARKING  the same, for a BOUND thread that sleeps, or is about to, while its state says so
 *   NOTIFIED itself: a BOUND thread that was woken
 *   DONE     its joiner, or the reaper if detached
 *
 * Descriptors are type-stable: pooled, never unmapped, so that a stale pointer reads a descriptor.
 */
#ifndef UPCALL_THREAD_H
#define UPCALL_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../base/atomic.h"
#include "../base/list.h"

struct activation;
struct vproc;
struct stack_class;

enum thread_state { T_NEW, T_READY, T_RUNNING, T_KERNEL, T_PARKING, T_NOTIFIED, T_PARKED, T_DONE };
enum thread_kind { THREAD_BOUND, THREAD_USER, THREAD_IDLE };

/* Reasons to look up when leaving the runtime (bits of thread.pending). */
enum {
	PEND_PREEMPT = 1,	/* the slice is over: yield */
	PEND_SIGNAL = 2,	/* a signal waits to be delivered (posix) */
	PEND_CANCEL = 4,	/* pthread_cancel was called on it (posix) */
	PEND_TAKES = 16,	/* what its wait with another mask takes was queued; see wait_takes (posix) */
	PEND_ORPHAN = 32,	/* a signal came by way of it that it blocks: others may admit it (posix) */
	PEND_WOKEN = 8,		/* a BOUND thread was woken, perhaps from a wait before this one */
};

/* Why the kernel ended a call with EINTR (thread.call_end): see was_vain (posix). */
enum call_end { END_UNKNOWN, END_IN_VAIN, END_BY_HANDLER };

/* How a wait ended (thread.wait_result). */
enum wait_result { WAIT_WOKEN, WAIT_TIMEOUT, WAIT_SIGNAL, WAIT_CANCEL, WAIT_AGAIN, WAIT_MOVED };

/* What a thread waits for, for people: `upcall ps`. */
enum wait_kind {
	WAIT_NONE, WAIT_MUTEX, WAIT_COND, WAIT_RWLOCK, WAIT_BARRIER, WAIT_SEM, WAIT_ONCE, WAIT_JOIN,
	WAIT_FUTEX, WAIT_IO, WAIT_SLEEP, WAIT_PARK, WAIT_EVENT, WAIT_LATCH, WAIT_SEND, WAIT_RECEIVE,
	WAIT_SIGWAIT,
};

/*
 * wait_arg of a wait for many descriptors: the address of its struct pollfds, and their number here;
 * of one on a channel: its address.
 */
enum { WAIT_MANY_SHIFT = 48 };

struct timer {
	uint64_t deadline_ns;
	struct timer *child, *next, *prev;	/* pairing heap; guarded by the lock of `heap` */
	struct timer_heap *heap;		/* NULL: not set */
};

/* A thread-specific value; of another generation than its key: NULL. */
struct thread_value { void *value; uint32_t generation; };
enum { THREAD_KEYS = 4 };

enum { POSIX_KEPT = 2 };

/* A cache line to a group: a short life, or a short wait, touches few of them. */
/* What gettid says in threads is made up from here on, above all numbers of the kernel's (its PID_MAX_LIMIT). */
enum { THREAD_FIRST_TID = 1 << 22 };

struct thread {
	/* The switch: the activation that runs it or switches it. */
	void *sp;
	void *tls;			/* its thread pointer, and its pthread_t */
	struct activation *act;		/* valid while RUNNING or KERNEL */
	uint32_t in_rt;			/* inside the runtime: neither preempted nor replaced; only itself writes */
	struct au32 pending;		/* PEND_*: anybody sets, itself clears */
	struct au32 state;		/* enum thread_state */
	uint8_t kind;			/* enum thread_kind */
	bool locks_plainly;		/* no lock wants more of it than its word: see thread_want_of_locks */
	uint16_t yields;		/* to another thread, modulo 65,536 */
	bool awaits_spare;		/* about to enter the runtime: a spare decides whether it has its vproc */
	bool is_unsettled;		/* counted as live, its mask not counted yet: sched_unsettled */
	bool is_one_to_one;		/* USER by birth, BOUND by sched_bind */
	bool wants_kernel_thread;	/* it binds itself first thing */
	bool asks_policy;		/* tls_know_policy: by its kernel thread's number libc may ask */
	bool binds_soon;		/* it does nothing but block, or computes where it cannot be made to give way */
	bool is_bare;			/* no TLS block of its own: `tls` is where it runs now (sched/bare.c) */
	bool forks;			/* amid a fork, from sched_before_fork on */
	bool joiner_is_next;		/* its joiner was taken out of its queue, to run on this one's vproc */
	bool goes_first;		/* guarded by the queue that it is on, as qnext */
	bool is_exchanged;		/* RUNNING, about to be left, and queued by the policy (sched/policy.h) */
	uint8_t reads_waited;		/* how many of its reads blocked in the kernel, modulo 256 */
	uint32_t kticks_blocked;	/* see count_block in sched/switch.c: since it last parked, 1,024 ticks each */
	union {
		struct thread *qnext;	/* run queue or inbox link; guarded by that queue */
		struct lock *wait_lock;	/* RUNNING and wait_holds_bucket: the bucket's */
	};
	struct vproc *last_vproc;	/* where it ran last */

	/* Life: creator writes, itself reads. */
	void *(*start)(void *);
	void *arg;
	void *result;
	void *stack_start;		/* where its first frame begins */
	uint64_t kmask;			/* the signals it blocks, as the kernel's mask */
	struct au32 life;		/* LIFE_* bits; a joiner waits on this word */
	bool is_standard;		/* bare, with a stack of the usual size */
	bool is_counted;		/* libc's own, and the process lives for it: sched_count_libc */
	int8_t priority;		/* its own */
	int8_t real_time;		/* BOUND, in a wait: its kernel thread's real-time priority; 0: none */
	struct thread *joiner;		/* who waits in pthread_join for it */
	struct thread *free_next;

	/* Its turns: itself only, but for the name and what native/ says. */
	uint64_t left_ticks;		/* end of the last one; BOUND: when it last began or ended to wait here */
	uint64_t burst_ticks;		/* what it ran, in turns that others ended, since it last parked */
	uint32_t nopreempt;		/* how deep it is in sections that are not to be preempted (sched/defer.c) */
	struct au32 token;		/* native/: 1: it was unparked */
	struct au32 is_cancelled;	/* native/ */
	struct au32 priority_now;	/* in force, an int: its own, or lent (sync/inherit.h) */
	struct au32 directed;		/* posix/: standard signals that are queued for it, or about to be, as bits */
	char name[16];

	/* The wait it is in: written by itself before it queues, then guarded by the bucket's lock. */
	struct list wait_link __attribute__((aligned(64)));
	struct au32 *wait_mutex;	/* on a condition: what it needs then and may be moved to, or NULL */
	void (*parked_fn)(void *);	/* called once it is parked; or NULL */
	struct au64 wait_key;		/* what it waits on, 0 when nothing */
	uint64_t wait_arg;		/* for the queue's owner: bits, a mode; else see WAIT_MANY_SHIFT */
	struct au32 wait_seq;		/* grows at each wait, so that a late timer misses */
	bool wait_queued;
	bool wait_holds_bucket;		/* its lock, from lot_queue to lot_sleep */
	uint8_t wait_kind;
	uint8_t wait_result;
	bool wait_is_lifo;		/* queue at the front */
	uint8_t wait_takes;		/* PEND_TAKES during a wait with another mask, else 0: its own (posix) */
	uint8_t wait_can_interrupt;	/* which of PEND_SIGNAL and PEND_CANCEL may end it */
	uint8_t call_end;		/* by what its call failed with EINTR: enum call_end, its own (posix) */
	uint32_t ended_call;		/* the one that a handler has made fail so, a hash; 0: none lately */

	void *parked_arg;
	uint64_t wait_since_ns;		/* 0 unless observed */
	uint64_t wait_deadline_ns;
	struct timer timer;
	uint32_t timer_seq;		/* wait_seq when the timer was set */
	uint32_t decided_seq;		/* wait_seq when a handler ended: what comes before the next wait has no say in this */

	/* Identity. */
	uint32_t id;			/* 1 is main */
	int tid;			/* what gettid() says: made up for USER threads, real for BOUND and main */
	uint64_t joiners[3];		/* the bucket in which who joins it waits (sync/lot.c) */
	uint64_t owes_since_ns;		/* CPU time of its kernel thread when it was first to give way; 0: it owes nothing */
	uint64_t distrusted_until_ns;	/* it stayed too long */
	struct au64 system_us;		/* what of cpu_ticks was the kernel's, as far as known */

	/* Memory. */
	void *stack_low;		/* lowest usable address; NULL: see thread_stack_low */
	size_t stack_bytes;		/* usable, TLS included, as getattr_np reports it */
	size_t guard_bytes;
	void *user_stack;		/* the program's own stack, which it runs on, or NULL */
	size_t user_stack_bytes;
	struct stack_class *stack_class;/* where to return it; NULL: static or the user's */

	uint64_t owes_at_switch;		/* of its vproc: one more, and it has given way */
	struct au64 cpu_ticks;		/* CPU time up to left_ticks */

	/* For posix/: opaque words, zero at birth; but the last POSIX_KEPT stay as they are, and are zero in a child. */
	void *posix[16] __attribute__((aligned(64)));
	struct activation *unpinned;	/* sched_unpin was called on it */
	uint32_t trimmed_faults;	/* of the process, when its stack was last trimmed (stack_trim) */
	void *frame_stack;		/* sched/preempt.c: for frames of preemptions, or NULL */
	APTR(const void) interrupted;	/* the ucontext of the signal of ours in whose handler it is, or waits, or NULL; */
	uint32_t interruptions;		/* so often that was set: itself only */
	struct list all_link;		/* guarded by threads.lock */

	/* For native/. */
	struct thread_value value[THREAD_KEYS];
	struct thread_value *more_values;	/* of all other keys; stays with the descriptor */
	uint64_t slot[4];			/* struct upcall_policy_slot */
	/* Guarded by the lock of all loans (sync/inherit.c). */
	struct thread *lends_to;	/* who has the mutex that it waits for */
	const void *lends_for;		/* that mutex's word; still, when the wait is over and the loan about to be */
	struct list lenders, lender_link;
};

/*
 * Who gives a thread's memory back: of "it has left its stack" and "nobody will join it", whoever
 * comes second.  All changes are of that bit alone, by locked instructions or as sched_lone tells, so that the second
 * one knows.
 */
enum { LIFE_EXITED = 1, LIFE_DETACHED = 2, LIFE_JOINING = 4, LIFE_REAPED = 8 };

/* Bare threads pass stacks of one size on to each other (sched/warm.c): nothing is written but the start. */
static inline char *thread_stack_low(const struct thread *t)
{
	return t->stack_low ? t->stack_low : (char *)t->stack_start - t->stack_bytes;
}

#pragma GCC visibility push(hidden)

extern __thread struct thread *self_ptr __attribute__((tls_model("initial-exec")));
COLD struct thread *thread_adopt(void);

static inline void thread_clear_posix(struct thread *t)
{
	memset(t->posix, 0, sizeof(t->posix) - POSIX_KEPT * sizeof(t->posix[0]));
}

/* What is read of a descriptor when its thread is woken and queued. */
static inline void thread_prefetch(const struct thread *t)
{
	__builtin_prefetch(&t->sp, 1);
	__builtin_prefetch(&t->wait_link, 1);
}

/* And when it runs. */
static inline void thread_prefetch_more(const struct thread *t)
{
	__builtin_prefetch(&t->sp, 1);
	__builtin_prefetch(&t->wait_link, 1);
	__builtin_prefetch(&t->left_ticks, 1);
	__builtin_prefetch(&t->user_stack, 1);
	__builtin_prefetch(&t->posix, 1);
	__builtin_prefetch(&t->posix[8], 1);
}

/* What a bare thread touches that ends soon: it may be the next to be made. */
static inline void thread_prefetch_short(const struct thread *t)
{
	__builtin_prefetch(&t->sp, 1);
	__builtin_prefetch(&t->start, 1);
	__builtin_prefetch(&t->left_ticks, 1);
}

/* What a thread that goes on touches first: its frames, and both ends of its TLS block. */
static inline void thread_prefetch_stack(const struct thread *t)
{
	enum { LINE = 64, FRAMES = 10 * LINE, CANCEL = 0x300 };
	const char *sp = t->sp, *tls = t->tls;

	for (int at = 0; at < FRAMES; at += LINE)
		__builtin_prefetch(sp + at, 1);
	__builtin_prefetch(tls - LINE, 1);
	__builtin_prefetch(tls, 1);
	__builtin_prefetch(tls + CANCEL, 1);
	__builtin_prefetch((const void *)(uintptr_t)(load_relaxed(&t->wait_key) << 4 >> 4), 1);	/* no tag */
}

/* Who holds a lock, in its word: a part of the address, which ends in zeroes; the lowest two bits are the lock's. */
enum { THREAD_MARK_SHIFT = 4 };

static inline uint32_t thread_mark(const struct thread *t)
{
	return (uint32_t)((uintptr_t)t >> THREAD_MARK_SHIFT);
}
_Static_assert(_Alignof(struct thread) >= 4 << THREAD_MARK_SHIFT, "zeroes");

/* Set for good once there are BOUND threads beside user threads. */
extern struct au32 thread_has_bound;

/* The calling thread; a kernel thread seen for the first time is adopted as BOUND. */
static inline struct thread *thread_self(void)
{
	struct thread *me = self_ptr;

	return likely(me != NULL) ? me : thread_adopt();
}

/* All descriptors in use, for observation and fork. */
struct threads {
	struct list all;
	union {
		struct {
			struct au32 live;	/* USER threads and main that are not DONE */
			struct au32 next_id;
		};
		struct au64 births;		/* both at once, for who is born (thread.c) */
	};
};
extern struct threads threads;

/*
 * A descriptor for a kernel thread that libc is about to make, so that it need not find memory later;
 * the new thread calls thread_adopt_as first thing.  NULL: no memory.
 */
struct thread *thread_reserve(void);
void thread_unreserve(struct thread *t);
/* By an adopted thread, at its end: the descriptor stays until thread_unreserve. */
void thread_keep(struct thread *me);
struct thread *thread_adopt_as(struct thread *t);
void thread_init(void);		/* at load: probes libc, adopts main */
struct thread *thread_main(void);
/* Which thread this pthread_t names, or NULL (not ours, or not plausible). */
struct thread *thread_of(pthread_t handle);
/* Threads with a TLS block and such a stack; stack_bytes 0 is the default.  NULL: there are too many classes. */
struct stack_class *thread_class(size_t stack_bytes, size_t guard_bytes, const void *user_stack);
/*
 * A NEW thread of that class, warm where possible: `used`, or NULL.  user_stack: memory of the program's, of
 * stack_bytes, or NULL.  May call libc.  0 or -EAGAIN.
 */
int thread_create(struct stack_class *c, struct thread *used, size_t stack_bytes, void *user_stack,
		  struct thread **ret_t);
/*
 * A NEW thread without a TLS block, never used before.  Inside the runtime.  NULL: no memory.
 * thread_renew_bare: what of a used one must be set anew.
 */
struct thread *thread_create_bare(size_t stack_bytes);
void thread_renew_bare(struct thread *t);
/* A TLS block for threads that have none to run on; outside the runtime.  NULL: none to be had. */
void *thread_guest_tls(void);
/* The end of a thread that is DONE and that nobody else knows; and its descriptor, stack and block given back. */
void thread_end(struct thread *t);
void thread_recycle(struct thread *t);
/* What pthread_getattr_np says of a thread of ours.  0 or a positive error. */
int thread_attributes(struct thread *t, pthread_attr_t *ret_attr);
void thread_set_default_stack_bytes(size_t bytes);
/* A zeroed TLS block with libc's guards, for a native context: nothing of libc may run on it. */
void *thread_native_tls(struct thread *idle);
/*
 * What locks want of all threads beside their words: that who owns one can be lent priorities, that a tool is told
 * who takes and drops them.
 */
enum { LOCKS_LEND = 1, LOCKS_TELL = 2 };
void thread_want_of_locks(uint32_t want, bool is_so);
void thread_lock_all(void);
void thread_unlock_all(void);
void thread_fork_child(struct thread *me);
/* Which thread numbers this process makes up from now on: after a fork, before it makes any. */
void thread_choose_tids(void);

#pragma GCC visibility pop

#endif

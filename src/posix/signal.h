// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals of a program whose threads are not kernel threads.
 *
 * The kernel delivers a signal to an activation; the handler must run on a thread that admits it.
 * The one idea: the kernel's own delivery is used for everything, so that a handler always gets a
 * genuine frame, and only *when* and *on whom* is decided here.
 *
 * The kernel's handler of every signal that the program handles is one of ours (sigdeliver.c).  If
 * it finds a thread outside the runtime, it runs the program's handler there and then, with the
 * mask that POSIX asks for, which from then on is that thread's mask wherever it runs; unless the signal
 * is the process's, and main admits it, as then the kernel would give it to main.  Otherwise
 * the signal goes into a queue: the interrupted thread's own, or, from an idle activation, that of
 * a thread that admits it.  A queued signal is delivered when its thread is outside the runtime
 * again: it sends itself that signal with a mark, and the marked one stands for the queued one.
 * The mark also makes a system call of the target end with EINTR (or start again) as it should.
 *
 * Nothing here allocates: queued signals come from a static pool.
 *
 * Masks.  thread.kmask is what the kernel is told: SIGURG (the runtime's own) and libc's two
 * internal signals are never blocked there; that the program blocked SIGURG is a flag beside it.
 * A signal that every thread blocks is blocked by idle activations too, and so stays pending in the
 * kernel, where sigwait and signalfd find it.  A real-time one that the process sends itself stays in our queue,
 * in order with those that find a thread, until the kernel is asked (signal_show_in_kernel).
 */
#ifndef UPCALL_POSIX_SIGNAL_H
#define UPCALL_POSIX_SIGNAL_H

#include <signal.h>
#include <ucontext.h>

#include "../sched/sched.h"
#include "posix.h"

/* Words of thread.posix[]. */
enum {
	PW_HANDLERS,	/* handlers run: all in the low half, those that end a call in the high half (sigdeliver.c) */
	PW_VFORK,	/* 1 between vfork and exec: straight to the kernel, no bookkeeping */
	PW_NO_PREEMPT,	/* not 0: stays on its activation until it parks; a sum, of which NO_PREEMPT_... are parts */
	PW_ALT_SP,	/* the program's alternate stack */
	PW_ALT_BYTES,	/* 0: none */
	PW_DEBT,	/* struct debt *: priorities that it was lent (priority.c); under that lock */
	PW_WAIT_MASKS,	/* struct wait_masks *: what it waits with */
	PW_FLAGS,	/* PF_* */
	PW_TAKES,	/* signals that it waits for in the kernel now; see TAKES_BY_MASK */
	PW_COUNTED,	/* the mask that blockers[] knows of it */
	PW_WISH,	/* struct wish *: what it must do to itself (bind.c) */
	/* 11 and 12: thread.c, once.c */
	PW_USER_NS = 13,/* getrusage: the user time that it was told last */
	/* These stay with the descriptor: who sends may be later than the last look of whom it sends to. */
	PW_INCOMING,	/* queued signals, newest first: anybody pushes, itself takes all */
	PW_HELD,	/* queued signals, oldest first: itself only, inside the runtime */
};

enum {
	PF_BLOCKS_URG = 1,
	PF_DELIVERS = 2,	/* in_rt is set only to stay here: handlers may run */
	PF_TRAPS = 8,		/* its system calls, but for ours, come to us: shared.c */
	PF_ENDS = 16,		/* nothing more is lent to it, or wished; set under thread_lock_all */
	PF_MAKES_HELPER = 32,	/* the thread that it makes is libc's, which gives its tid to the kernel */
	PF_EXPLICIT = 64,	/* made with PTHREAD_EXPLICIT_SCHED */
	PF_EXECS = 128,		/* its departure is to a new program, which inherits what is pending */
	PF_BINDS = 256,		/* it is being bound: handlers wait until that is over */
	PF_APART = 512,		/* see bind_apart */
	PF_FORKS = 2048,	/* it has made children */
	PF_OWN_FILES = 1024,	/* its table of descriptors is not the process's: what it closes is open to the others */
};

/* Each wait for signals that it is in; a departure (process.h), which is but one. */
enum { NO_PREEMPT_WAIT = 1 << 16, NO_PREEMPT_DEPARTURE = 1 << 24 };

#define SIG_BIT(sig) (UINT64_C(1) << ((sig) - 1))
/* Never blocked in the kernel. */
#define SIG_NEVER (SIG_BIT(SIGKILL) | SIG_BIT(SIGSTOP) | SIG_BIT(32) | SIG_BIT(33))
/* In PW_TAKES: it waits with another mask, as in sigsuspend, and takes defaults as well; sigwait takes what it asks for. */
#define TAKES_BY_MASK SIG_BIT(32)
#define TAKES_PARKED SIG_BIT(33)	/* and so, but not in the kernel */
#define SIG_REAL_TIME (~UINT64_C(0) << 31)	/* they are queued, and come in order */
#define SIG_FAULTS (SIG_BIT(SIGSEGV) | SIG_BIT(SIGBUS) | SIG_BIT(SIGFPE) | SIG_BIT(SIGILL) | SIG_BIT(SIGTRAP))
/* Their default action leaves a core file. */
#define SIG_DUMPS (SIG_FAULTS | SIG_BIT(SIGQUIT) | SIG_BIT(SIGABRT) | SIG_BIT(SIGSYS) | SIG_BIT(SIGXCPU) | \
		   SIG_BIT(SIGXFSZ))
#define SIG_DEFAULT_IGNORED (SIG_BIT(SIGCHLD) | SIG_BIT(SIGURG) | SIG_BIT(SIGWINCH) | SIG_BIT(SIGCONT))

/* What the program asked for with sigaction. */
struct action {
	uintptr_t handler;
	uint64_t flags;
	uint64_t mask;
};

static inline uint64_t mask_of(const sigset_t *set)
{
	return *(const uint64_t *)set;
}

static inline uintptr_t word_get(const struct thread *me, int word)
{
	return (uintptr_t)__atomic_load_n(&me->posix[word], __ATOMIC_RELAXED);
}

static inline void word_set(struct thread *me, int word, uintptr_t value)
{
	__atomic_store_n(&me->posix[word], (void *)value, __ATOMIC_RELAXED);
}

/* The memory of a child of vfork's is its parent's. */
static inline bool is_in_vfork(void)
{
	return self_ptr && word_get(self_ptr, PW_VFORK);
}

/* The calling thread, if it has no kernel thread of its own, and is not in a child that shares our memory. */
static inline struct thread *user_self(void)
{
	struct thread *me = self_ptr;

	return sched_is_started && me && me->kind == THREAD_USER && !word_get(me, PW_VFORK) ? me : NULL;
}

/* The same, with a kernel thread that it has got later or not. */
static inline struct thread *own_self(void)
{
	struct thread *me = self_ptr;

	return sched_is_started && me && (me->kind == THREAD_USER || me->is_one_to_one) && !word_get(me, PW_VFORK) ? me : NULL;
}

#pragma GCC visibility push(hidden)

/* The room's turning points: posix.h names signal_start, signal_thread_new and signal_thread_end. */
void signal_fork_child(void);
void signal_to_child(struct thread *me);	/* after that: it was a USER thread */

/* sigmask.c: the calling thread's mask, as the program sees it. */
uint64_t posix_mask(struct thread *me);
/* Sets it, in the kernel too, and delivers what it no longer blocks. */
void posix_mask_set(struct thread *me, uint64_t mask);
/* The same without delivering: inside a handler's prologue or epilogue. */
void posix_mask_install(struct thread *me, uint64_t mask);
/* me is about to be bound, or was not after all. */
void posix_mask_bound(struct thread *me, bool is_bound);
/* What me admits while it waits, for the sake of idle activations. */
void posix_mask_announce(struct thread *me, uint64_t mask);
/* All threads are bound from now on: idle activations block every signal, and have done so when this returns. */
void posix_mask_all_bound(void);
/* Before a look at what is pending: what idle activations took of these, though nobody admits them, is queued. */
void posix_mask_settle(uint64_t signals);
/* Of these signals, those that n threads admit, no more and no fewer, while others block them. */
uint64_t posix_mask_admitted_by(unsigned n, uint64_t signals);
/* What is blocked only while a handler runs, or a wait has begun, does not count here. */
bool posix_mask_admitted_by_all(int sig);
/* Those of them that no thread admits. */
uint64_t posix_mask_blocked_by_all(uint64_t signals);
/* Does t take this signal, now or in the wait it is in? */
bool posix_mask_admits(const struct thread *t, int sig);
/* Would it have no handler to run, nor a wait to end? */
bool posix_mask_takes_default(const struct thread *t, int sig);

/* sigaction.c */
struct action action_get(int sig);
bool action_is_handler(int sig);
bool action_is_default(int sig);	/* as the kernel has it, too: it may have been set behind our back */
extern struct au64 action_handles_queued;	/* those of SIG_REAL_TIME that have a handler */
/* SA_RESETHAND: the action as it is, with its handler for the one caller that takes it; then it is the default. */
void action_take_once(int sig, struct action *ret_taken);
int action_set(int sig, const struct action *act, struct action *ret_old);
void action_start(void);			/* threads start */
void action_fork_child(void);
/* The table is the calling process's from now on. */
void action_at_home(void);
/* Some thread blocks these, or is about to be sent a mark: not even their default may be taken behind our back. */
void action_guard(uint64_t signals);
/* What stands for the program's action may have become another. */
void action_renew(int sig);
/* The default is the kernel's for a moment. */
void action_expose(int sig, bool exposed);

/* sigdeliver.c: what the kernel calls; handlers whose mask it does not set run with every signal
 * blocked until theirs is installed. */
void signal_enter(int sig, siginfo_t *info, void *uc);		/* every signal is blocked */
/* A handler of ours is about to return from its frame, which it entered on that activation. */
void signal_leave(struct thread *me, ucontext_t *uc, struct activation *entered_on);
void signal_enter_early(int sig, siginfo_t *info, void *uc);	/* before threads start: the program's mask */

/* sigqueue.c */
bool sigqueue_push(struct thread *t, const siginfo_t *info);
bool sigqueue_push_for_now(struct thread *me, const siginfo_t *info);	/* the caller, who is to handle it before it goes on */
/* The same with a signal of the process, which t seems to admit. */
bool sigqueue_lend(struct thread *t, const siginfo_t *info);
/* False if one of this kind is lent, or about to be, and not taken: a standard signal is then not queued again. */
bool sigqueue_begin_lending(int sig);
/* A standard signal, which is: as long as it is not taken, another of its kind is the same. */
bool sigqueue_is_lent(int sig);
void sigqueue_lent_to_nobody(int sig);
/* Of what was lent to me, the signals in `set` are orphans again; true if there were any. */
bool sigqueue_give_back(struct thread *me, uint64_t set);
/* Takes the first queued signal out of me's queue that is in `set`: 0 if none. */
int sigqueue_take(struct thread *me, uint64_t set, siginfo_t *ret_info);
/* The same, where an orphan may be older than what is queued for me, and me admits it. */
int sigqueue_take_oldest(struct thread *me, uint64_t set, siginfo_t *ret_info);
/* Which signals are queued; asks nobody else than me. */
uint64_t sigqueue_set(struct thread *me);
/* How often a timer had expired, unheard, when its last signal came: by our queue, else `otherwise`. */
int sigqueue_overruns(int timer, int otherwise);
/* Its last signal came straight from the kernel, which knows. */
void sigqueue_forget_overruns(int timer);
/*
 * *ret_info comes straight from the kernel.  If it is a timer's, and an idle activation has taken an earlier one that
 * nobody admitted, they are one: what is queued of it counts as overruns.  It becomes what is to be handled.
 */
void sigqueue_join_timer(struct thread *me, siginfo_t *ret_info);
/* The same for those that are queued, each: it becomes the first of its number. */
void sigqueue_join_queued(struct thread *me, siginfo_t *ret_info);
/* The signal is ignored from now on: what is queued of it is discarded. */
void sigqueue_discard(int sig);
bool sigqueue_is_empty(const struct thread *me);
/* It waits for a thread that admits it; false if the pool is full. */
bool orphan_push(const siginfo_t *info);
/* Those that stand for one another become one: whoever leaves them waiting keeps the pool from filling up so. */
void orphan_gather(void);
int orphan_take(uint64_t set, siginfo_t *ret_info);
int orphan_take_back(uint64_t set, bool timers_too, siginfo_t *ret_info);		/* for the kernel */
/* The first orphan of `set` is lent to t; false if there is none. */
bool orphan_lend(struct thread *t, uint64_t set);
uint64_t orphan_set(void);
bool orphan_waits(int sig);		/* exactly */
/* t is about to be born: what came too late for whom its descriptor was before. */
void sigqueue_empty(struct thread *t);
void sigqueue_fork_child(struct thread *me);

/* sigkill.c: sending. */
void signal_make_info(siginfo_t *info, int sig, int code, union sigval value);
/* Queues it to t, a USER thread, and sees to it that t looks.  0 or an error number. */
int signal_send(struct thread *t, const siginfo_t *info);
/* For action_set and the program's default: what happens to a signal that has no handler. */
void signal_do_default(struct thread *me, const siginfo_t *info);
/*
 * *info came from the kernel, by way of me: is it main's, as the kernel would have it were main a kernel thread?  That
 * gives it all signals of the process that it admits, unless it has others.
 */
bool signal_is_mains(const struct thread *me, const siginfo_t *info);
/*
 * Queues for me, of the orphans, one of each number in `set`: were it the lowest alone, one that is sent in a loop would keep
 * the others waiting.  What main takes is left to main, whom signal_adopt_orphans gives it.
 */
void signal_take_orphans(struct thread *me, uint64_t set);
/* Lends it to main, which looks; false if it cannot be.  Inside the runtime. */
bool signal_lend_main(const siginfo_t *info);
/* Sends kernel thread `tid` the mark: look at your queue for sig. */
void signal_mark(int tid, int sig);
bool signal_is_mark(const siginfo_t *info);
/* Delivers what is queued to me and admitted.  Outside the runtime. */
void signal_deliver(struct thread *me);
/* Does with what has no handler what is to be done. */
void signal_deliver_default(struct thread *me);
/* From now on ss is the program's alternate stack of me. */
void signal_note_altstack(struct thread *me, const stack_t *ss);
/* Finds threads for what idle activations took.  Inside the runtime. */
void signal_adopt_orphans(void);
void signal_adopt_fork_child(void);		/* whoever was at it is not there */
/* tgkill(2), where tid may be one of ours: 0 or -errno. */
int posix_tgkill(int tgid, int tid, int sig);
int posix_process_of(int pid);		/* which may be the number of a thread */
/* rt_tgsigqueueinfo(2): false if it is none of ours. */
bool posix_tgsigqueue(int tgid, int tid, int sig, const siginfo_t *info, long *ret);
struct thread *thread_by_tid(int tid);
/* The kernel thread of a BOUND thread; 0 when it is gone.  Outside the runtime: one that it is about to get is waited for. */
int posix_kernel_tid(struct thread *t);
int posix_kernel_tid_now(struct thread *t);	/* 0 also then */
/*
 * From now on the kernel is asked what is pending, by a signalfd: it is given the signals of the process that nobody
 * admits, and keeps those that come.
 */
void signal_show_in_kernel(void);
/*
 * The same for those in `set`, of me, which stays on its kernel thread, or of a new program; and what is queued for me of
 * these.  But for timers' signals.
 */
void signal_to_kernel(struct thread *me, uint64_t set);
/* sigmask.c: what is pending for this kernel thread alone and `mask` blocks is queued for me. */
void signal_from_kernel(struct thread *me, uint64_t mask);

/*
 * sigwait.c: a wait with another mask than the thread's, until a handler of what that mask admits begins: it takes this
 * off, and its frame restores `was`, by the kernel's doing or by ours.
 */
struct wait_masks {
	uint64_t mask;		/* to which the handler's own is added */
	uint64_t was;
	bool is_ours;		/* a mask of ours is in force, which the frame has */
};

/*
 * sigwait.c: a handler runs, perhaps amid a wait for signals, which it may leave by a jump and in which it may wait for
 * other things.  So what the wait says of the thread is taken off before the handler, and put on again when it returns.
 * process.c: the same for a departure; which is put on before the frame is made to fit the kernel thread.
 */
struct wait_words {
	uintptr_t takes, no_preempt, masks;
	uint8_t wait_takes;
};
struct wait_words signal_wait_leave(struct thread *me);
void signal_wait_resume(struct thread *me, const struct wait_words *w);	/* every signal is blocked */
bool signal_departure_leave(struct thread *me);		/* true if there is one */
void signal_departure_resume(struct thread *me);

/*
 * call(set, arg) is a system call of libc's that waits with `mask` as its signal mask,
 * and changes it atomically; repeated until it gives something else than EINTR or a handler ran.
 */
int signal_masked_call(struct thread *me, uint64_t mask, int (*call)(const sigset_t *set, void *arg),
		       void *arg);
/* The same on a kernel thread of its own. */
int signal_bound_call(struct thread *me, const sigset_t *mask, int (*call)(const sigset_t *set, void *arg), void *arg);

/*
 * The same for a wait that parks.  look(arg): what there is, 0 for nothing; park(arg): as io_wait, once.
 * -EPERM, where park says so: the kernel is to be asked.
 */
struct parked_call {
	long (*look)(void *arg);
	int (*park)(void *arg);
	void *arg;
};
long signal_masked_park(struct thread *me, uint64_t mask, const struct parked_call *call);

/* cancel.c */
void cancel_reset(struct thread *t);		/* a reused block was perhaps cancelled */
void cancel_start(void);
void cancel_fork_child(void);
bool cancel_is_due(struct thread *me);		/* cancelled, and not disabled */
void cancel_ring(struct thread *me);		/* in a handler, every signal blocked */
void cancel_act(struct thread *me);		/* PEND_CANCEL: acts at once if the type is asynchronous */

#pragma GCC visibility pop

#endif

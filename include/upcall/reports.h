/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to the processors of this process, as it happens: for a trace, or for who decides what
 * runs.  Whoever tells (upcall-features(1)), the events are the same.
 */
#ifndef UPCALL_REPORTS_H
#define UPCALL_REPORTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"	/* a function may have the name of a structure */
extern "C" {
#endif

/* The most important one first: so they are delivered when several wait. */
enum upcall_report_kind {
	UPCALL_REPORT_FAULT,		/* as BLOCKED, in a page fault; where the source knows */
	UPCALL_REPORT_WARNING,		/* the vproc will be taken away in a moment */
	UPCALL_REPORT_PREEMPTED,	/* other processes had the processor though the thread wanted to run */
	UPCALL_REPORT_BLOCKED,		/* the thread's activation blocked in the kernel, another took the vproc over */
	UPCALL_REPORT_UNBLOCKED,		/* it is back, and its thread is ready */
	UPCALL_REPORT_ADDED,		/* the vproc has got an activation */
	UPCALL_REPORT_SLICE,		/* the thread gives way: its slice is over, or a woken one is ready */
	UPCALL_REPORT_SIGNAL,		/* another vproc asks this one to let a thread run */
	UPCALL_REPORT_TIMER,		/* a time has come that a thread waited for */
	UPCALL_REPORT_KINDS
};

enum { UPCALL_REPORT_WARN_MAX_US = 10000 };

struct upcall_thread;
struct upcall_report {
	uint32_t kind;			/* enum upcall_report_kind */
	uint32_t vproc;
	uint32_t thread;		/* its number, 0: none */
	int32_t activation;		/* the kernel thread's tid, 0: none */
	int32_t call;			/* BLOCKED: the system call, -1 where the source does not know */
	uint32_t lost;			/* events of this kind and vproc that found no room before this one */
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	struct upcall_thread *handle;	/* of that thread, an upcall_t; NULL: none */
};

/*
 * From now on handler(event, arg) is called for each event, on its vproc, amid the scheduler's work: it
 * may read and write memory and must not call anything that waits, locks or belongs to the runtime, but upcall_machine
 * and what <upcall/stats.h> has.
 * NULL: no more events, once the call has returned on all vprocs.  0 or -errno.
 */
int upcall_reports_open(void (*handler)(const struct upcall_report *event, void *arg), void *arg);
/* The same for the events of one vproc, which come here instead from now on; NULL: no more of them come here. */
int upcall_reports_open_on(uint32_t vproc, void (*handler)(const struct upcall_report *event, void *arg), void *arg);
/*
 * Kinds whose bits (1 << kind) are set wait in the vproc's queue, a few of each kind; when they are
 * cleared, those that wait are delivered, the most important first.  Other bits are ignored.  Returns the mask before, or
 * -EINVAL.
 */
int upcall_reports_mask(uint32_t vproc, uint32_t mask);
/*
 * Waits until an event of a kind that the mask lets in has been delivered to the vproc's handler, with this mask in place of the
 * vproc's meanwhile; one that waited for that ends the wait, too, as with sigsuspend(2).  Of several who wait each has a mask of
 * its own: what any of them lets in is delivered.  0; -ETIMEDOUT after deadline_ns, on the clock of upcall_now(); -ECANCELED;
 * -EINVAL, also where there is no handler.
 */
int upcall_reports_wait(uint32_t vproc, uint32_t mask, uint64_t deadline_ns);
/*
 * So many microseconds before a vproc is taken away, or with sched_ext its turn ends, WARNING is to come; 0: never.  At
 * first 4,000; no more than UPCALL_REPORT_WARN_MAX_US.  Returns the number before, or -EINVAL.
 */
int upcall_reports_warn(uint32_t us);

/*
 * The registers of a thread that does not run: the machine state of whom a report names, or of anybody else.  It may be
 * asked in a report's handler and by a policy.
 */
enum upcall_machine_from {
	UPCALL_MACHINE_SWITCHED,	/* it is switched out, in a call of the library's that waits or gave way */
	UPCALL_MACHINE_INTERRUPTED,	/* amid its own code, by a signal of the runtime's: `registers`, too */
	UPCALL_MACHINE_BLOCKED,		/* its kernel thread is blocked: the kernel tells no frame pointer, fp is 0 */
	UPCALL_MACHINE_CALLER,		/* it is the caller: where this call returns to */
};
enum { UPCALL_MACHINE_REGISTERS = 16 };

struct upcall_machine {
	size_t size;			/* in: sizeof(struct upcall_machine) */
	uint32_t thread;		/* whose: the number */
	uint32_t from;			/* enum upcall_machine_from */
	uint64_t pc, sp, fp;
	int32_t call;			/* BLOCKED: the system call that it is in; -1: none, a page fault */
	uint32_t spare;			/* 0 */
	uint64_t registers[UPCALL_MACHINE_REGISTERS];	/* in the order of <ucontext.h>: [REG_RAX], ... */
};

/*
 * thread: an upcall_t; NULL is the caller.  0; -EBUSY: it runs, so that it has its registers itself; -ESRCH: it has ended;
 * -EINVAL: the size; or why the kernel does not tell.
 */
int upcall_machine(struct upcall_thread *thread, struct upcall_machine *ret_machine);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif

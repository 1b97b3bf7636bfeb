/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel half of Upcall, for whoever builds a threads system on it: see upcall-kernel(7).
 *
 * upcalld(8) puts programs into the kernel that write, into memory shared with an admitted process,
 * what each of its registered kernel threads ("activations") does: runs, was preempted, blocks, has
 * been woken.  They know nothing of the process's threads, stacks or policy.  With sched_ext they also
 * decide which activation of a virtual processor ("vproc") runs.
 *
 * Each word below has one side that writes it, as is said of each structure.  Where there is no upcalld(8), perf events tell
 * when an activation blocks, and nothing of this header is needed: the man page has their attributes and records.
 *
 * Version 1.  Fields named `spare` are 0 and may get a meaning.
 */
#ifndef UPCALL_KERNEL_H
#define UPCALL_KERNEL_H

#include <stdint.h>

#define UPCALL_KERNEL_VERSION 1
#define UPCALL_KERNEL_MAGIC 0x6c637075u
#define UPCALL_KERNEL_SOCKET "/run/upcalld.sock"
/* prctl(UPCALL_KERNEL_PRCTL, slot, token, 0, 0) registers the caller; it fails with EINVAL, always. */
#define UPCALL_KERNEL_PRCTL 0x55504341

enum {
	UPCALL_KERNEL_SLOTS = 768,
	UPCALL_KERNEL_VPROCS = 256,
	UPCALL_KERNEL_WARN_MAX_US = 10000,
	UPCALL_KERNEL_GRACE_US = 10000,
};

/* hello.sources, and what the welcome grants of them; UPCALL_KERNEL_SHARE is asked for alone, by a connection of its own */
enum { UPCALL_KERNEL_BPF = 1, UPCALL_KERNEL_SCHED_EXT = 2, UPCALL_KERNEL_SHARE = 4 };

enum upcall_kernel_state {
	UPCALL_KERNEL_NONE,		/* not registered, or ended, or executed another program */
	UPCALL_KERNEL_RUNNING,
	UPCALL_KERNEL_PREEMPTED,	/* lost its processor, or gave it up, and wants to run */
	UPCALL_KERNEL_BLOCKED,
	UPCALL_KERNEL_UNBLOCKED,	/* was woken, and has not run since */
};

/* Written by the kernel half: one for each activation. */
struct upcall_kernel_slot {
	uint32_t state;
	uint32_t seq;			/* grows with each change of state */
	uint32_t life;			/* changes with each registration */
	uint32_t cpu;			/* where it ran last */
	int32_t call;			/* the system call it blocked in last; -1: none, a page fault */
	uint32_t nblocks;
	uint64_t in_ns;			/* CLOCK_MONOTONIC: got a processor, blocked, was woken last */
	uint64_t block_ns;
	uint64_t wake_ns;
	uint32_t lent;			/* wants to run, and another activation of the process got its processor */
	uint32_t npreempts;		/* how often another process got its processor, or that one kept it for 0.5 ms */
	uint64_t preempt_ns;		/* when it lost it last, wanting to run */
};

/* Written by the kernel half, with sched_ext: one for each vproc.  Activations are named slot + 1. */
struct upcall_kernel_vproc {
	uint32_t running;		/* which activation has the processor, or 0 */
	uint32_t visitors;		/* how many others than owner and spare want to run */
	uint64_t warn_ns;		/* when the owner is going to be preempted, or 0 */
	uint32_t owes;			/* its turn is over; it may go on to its next safe point, then yields */
	uint32_t nwarnings;
	uint32_t nforced;		/* preempted all the same: it did not yield within the grace */
	uint32_t noverlaps;		/* two activations of it ran at a time: never */
	uint32_t spare[8];
};

/* The first descriptor: map it read-only and shared. */
struct upcall_kernel_page {
	struct upcall_kernel_slot slot[UPCALL_KERNEL_SLOTS];
	struct upcall_kernel_vproc vproc[UPCALL_KERNEL_VPROCS];
};

/* The second, with sched_ext: map it to be read and written, shared.  Written by the process. */
struct upcall_kernel_vproc_control {
	uint32_t owner;			/* slot + 1, or 0: runs when it can */
	uint32_t successor;		/* runs when the owner is blocked: the spare */
	uint32_t want;			/* runs before all others */
	uint32_t nopreempt;		/* not 0: please do not preempt the owner now */
	uint32_t warn_us;		/* how long before a preemption `warn_ns` is to be set; 0: never */
	uint32_t spare[11];
};

struct upcall_kernel_control {
	struct upcall_kernel_vproc_control vproc[UPCALL_KERNEL_VPROCS];
	uint8_t vproc_of[UPCALL_KERNEL_SLOTS];	/* to which vproc an activation belongs, by slot */
	/* As nopreempt, read in the process's memory: see upcall-kernel(7). */
	uint64_t critical_at[UPCALL_KERNEL_SLOTS];
	uint32_t critical_offset[2];
};

/* With UPCALL_KERNEL_SHARE, the only descriptor: map it to be read and written, shared.  Times are CLOCK_MONOTONIC. */
#define UPCALL_KERNEL_SHARE_STALE_NS 2000000000ULL

struct upcall_kernel_share {
	uint32_t wanted;		/* by the process: how many vprocs it has work for */
	uint32_t given;			/* by upcalld: how many it is to run; 0: not decided yet */
	uint64_t process_ns, upcalld_ns;	/* when each wrote last: one that has not for the time above is not there */
	uint64_t spare[5];
};

/* One message each way on the socket (SOCK_SEQPACKET). */
struct upcall_kernel_hello {
	uint32_t magic, version, sources, spare;
};

struct upcall_kernel_welcome {
	uint32_t magic, version;
	int32_t error;			/* 0, or an errno: then `text` says why */
	uint32_t sources;
	uint64_t token;			/* a secret of the process */
	uint64_t page_bytes;
	char text[224];
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs in the kernel (src/bpf), the daemon that loads them (src/daemon) and the runtime
 * say to each other.  Plain C and the kernel's own types: all three are compiled from this file.
 *
 * Admission.  A process connects to the daemon's socket (SOCK_SEQPACKET), sends an abi_hello and gets
 * an abi_welcome: refused, with the reason, or admitted, with a descriptor of its page: a frozen map,
 * which can be mapped to be read and no more, so what the kernel half believes is out of the process's
 * reach.  The connection is closed; the daemon learns of the process's end from a pidfd.  The child
 * of a fork is not admitted.  execve takes the mapping away, and ends the registration of who calls it.
 *
 * Registration.  A kernel thread of an admitted process asks to be told of by
 *
 *	prctl(ABI_PRCTL, slot, token, 0, 0)
 *
 * which the kernel itself does not know (EINVAL), but the programs see.  No daemon takes part.  It has
 * happened if the slot's `life` has changed.  The token is the process's secret.  A slot is given up by
 * registering another thread in it, or by the thread's end, or its execve.
 *
 * Reports.  The slot says from then on what the kernel thread does.  The programs end with their
 * daemon, and nobody writes a last word: who wants to know whether a page is live registers a thread
 * that sleeps and wakes up, and looks whether its own `seq` moves.
 */
#ifndef UPCALL_BPF_ABI_H
#define UPCALL_BPF_ABI_H

#include <linux/types.h>

#define ABI_MAGIC 0x6c637075u		/* "upcl" */
#define ABI_PRCTL 0x55504341		/* "UPCA" */
#define ABI_SOCKET "/run/upcalld.sock"

enum {
	ABI_VERSION = 1,
	ABI_SLOTS = 1024,		/* in a page, of 64 bytes each */
	ABI_FIRST_VPROC = 768,		/* slots 0 .. 767: kernel threads; the rest: for sched_ext's vprocs */
	ABI_PAGE_BYTES = ABI_SLOTS * 64,
	ABI_PROCESSES = 1024,		/* that can be admitted at a time */
};

/* What a kernel thread does. */
enum abi_state {
	ABI_NONE,			/* nobody is registered, or it has ended, or executed a program */
	ABI_RUNNING,			/* has the processor `cpu` */
	ABI_PREEMPTED,			/* lost it, or gave it up, but wants to run */
	ABI_BLOCKED,			/* waits in the kernel */
	ABI_UNBLOCKED,			/* was woken and has not run since */
};

enum { ABI_LENT_NS = 500000 };		/* an armed spare that yields has it for microseconds */

/* Written by the kernel half; a reader may see it change at any moment. */
struct abi_slot {
	__u32 state;			/* enum abi_state */
	__u32 seq;			/* grows with each change of state */
	__u32 life;			/* changes with each registration */
	__u32 cpu;			/* where it ran last */
	__s32 call;			/* the system call that it blocked in last; -1: in a page fault */
	__u32 nblocks;			/* how often it blocked */
	__u64 in_ns;			/* CLOCK_MONOTONIC: when it got a processor last */
	__u64 block_ns;			/* when it blocked last */
	__u64 wake_ns;			/* when it was woken last */
	__u32 lent;			/* not 0: it wanted to run, and another thread of its process got its processor */
	__u32 npreempts;		/* how often another process got its processor, or its own kept it for ABI_LENT_NS */
	__u64 preempt_ns;		/* when it lost it last, wanting to run */
};

/*
 * sched_ext.  A registered thread that puts itself into the class SCHED_EXT is scheduled by vprocs:
 * of those that are of one vproc, one at a time has the processor (scx.bpf.c says who).  The process
 * says in its control page, which it may write at any moment, how it wants it.
 */
enum {
	ABI_VPROCS = 256,
	ABI_WARN_MAX_US = 10000,
	ABI_GRACE_US = 10000,		/* a preemption is put off so long, and at most a tick longer */
};

/* Written by the process.  Activations are named by slot + 1; 0 is nobody. */
struct abi_vproc_control {
	__u32 owner;			/* runs when it can */
	__u32 spare;			/* runs when the owner is blocked */
	__u32 want;			/* runs before all others */
	__u32 nopreempt;		/* not 0: the owner is not to be preempted now */
	__u32 warn_us;			/* it wants to know so long before it is */
	__u32 spares[11];
};

struct abi_control {
	struct abi_vproc_control vproc[ABI_VPROCS];
	__u8 vproc_of[ABI_FIRST_VPROC];	/* by slot: which vproc the activation is of */
	/*
	 * Instead of nopreempt, where the process keeps such words anyway.  At critical_at, its own address, is
	 * a pointer; an owner is not to be preempted while one of the two __u32 at these offsets from there is not 0.
	 */
	__u64 critical_at[ABI_FIRST_VPROC];	/* by slot; 0: nowhere */
	__u32 critical_offset[2];
};

/* Slot ABI_FIRST_VPROC + i of the page: written by the kernel half about vproc i. */
struct abi_vproc {
	__u32 token;			/* who has the processor, or 0 */
	__u32 visitors;			/* so many others want to run: neither the owner nor the spare */
	__u64 warn_ns;			/* CLOCK_MONOTONIC: the owner will be preempted then; 0: not soon */
	__u32 owes;			/* the owner was to be preempted, and may go on to its next safe point */
	__u32 nwarnings;
	__u32 nforced;			/* the owner used up the grace */
	__u32 noverlaps;		/* two ran at a time: does not happen */
	__u32 spare[8];
};

/* Sources, as bits; and, asked for alone, a share of the processors. */
enum { ABI_BPF = 1, ABI_SCX = 2, ABI_SHARE = 4 };

/*
 * Processors are shared out between the processes that ask for it: each says how many vprocs it has work for, and is told
 * how many it is to run.  The page is both sides' to write.  What a process writes there changes its own share only; one
 * that takes no notice of it is like all those that never asked.  Times are CLOCK_MONOTONIC; who has not written
 * for ABI_SHARE_STALE_NS is not there: a process stopped, or executing another program, or the daemon ended.
 */
#define ABI_SHARE_STALE_NS 2000000000ULL

struct abi_share {
	__u32 wanted;			/* by the process */
	__u32 given;			/* by the daemon; 0: not yet */
	__u64 process_ns, daemon_ns;	/* when each wrote last */
	__u64 spare[5];
};

struct abi_hello {
	__u32 magic;
	__u32 version;
	__u32 sources;			/* which it would like */
	__u32 spare;
};

/* Comes with the descriptor of the page when `error` is 0 and the request was for admission. */
struct abi_welcome {
	__u32 magic;
	__u32 version;
	__s32 error;			/* 0, or an errno */
	__u32 sources;			/* which it gets */
	__u64 token;
	__u64 page_bytes;
	char text[224];			/* why not; or the answer to ABI_STATUS */
};

/* In hello.sources, alone: only asks how the daemon is, and is answered with text. */
enum { ABI_STATUS = 1 << 31 };

#endif

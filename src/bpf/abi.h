/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs in the kernel (src/bpf), the daemon that loads them (src/daemon) and the runtime
 * say to each other.  Plain C and the kernel's own types: all three are compiled from this file.
 *
 * Admission.  A process connects to the daemon's socket (SOCK_SEQPACKET), sends an abi_hello and gets
 * an abi_welcome: refused, with the reason, or admitted, with a descriptor of its page: a frozen map,
 * which can be mapped to be read and no more, so what the kernel half believes is out of the process's
 * reach.  The connection is closed; the daemon learns of the process's end from a pidfd.  The child
 * of a fork is not admitted, and execve ends it in effect: the mapping is gone.
 *
 * Registration.  A kernel thread of an admitted process asks to be told of by
 *
 *	prctl(ABI_PRCTL, slot, token, 0, 0)
 *
 * which the kernel itself does not know (EINVAL), but the programs see.  No daemon takes part.  It has
 * happened if the slot's `life` has changed.  The token is the process's secret.  A slot is given up by
 * registering another thread in it, or by the thread's end.
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
	ABI_NONE,			/* nobody is registered, or it has ended */
	ABI_RUNNING,			/* has the processor `cpu` */
	ABI_PREEMPTED,			/* lost it, or gave it up, but wants to run */
	ABI_BLOCKED,			/* waits in the kernel */
	ABI_UNBLOCKED,			/* was woken and has not run since */
};

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
	__u64 spare[2];
};

/* Sources, as bits. */
enum { ABI_BPF = 1, ABI_SCX = 2 };

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

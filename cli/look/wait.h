// SPDX-License-Identifier: BSD-2-Clause
/* What a thread waits for, and who waits in a circle. */
#ifndef UPCALL_LOOK_WAIT_H
#define UPCALL_LOOK_WAIT_H

#include "kernel.h"
#include "snapshot.h"

enum { WAIT_FDS = 16 };

struct wait_info {
	const char *kind;		/* "mutex", "io", "sleep", ...; NULL: it waits for nothing */
	uint64_t object;		/* 0: none that the program would know */
	const char *symbol;		/* of it, or "" */
	const struct look_thread *owner;/* who holds it, or is joined */
	int owner_tid;			/* when the holder is none of this process's threads */
	uint32_t readers;		/* who hold it, when readers do */
	int fd;				/* -1: none */
	int fds[WAIT_FDS];		/* of a wait for many: the first ones */
	unsigned nfds;			/* how many there are */
	const char *direction;		/* "read", "write", "poll" or "" */
	uint64_t left_ns;		/* until the deadline; UINT64_MAX: none */
	const char *call;		/* blocked in the kernel: in this call, or "page fault" */
	long call_number;		/* when it has no name */
	uint64_t fault_pc;		/* of a page fault: the instruction that made it (what it touched nobody tells) */
	struct kernel_wait kernel;	/* of one that is blocked there */
	int kernel_tid;			/* the kernel thread that carries it, or 0 */
};

/* Once for a snapshot, before the first wait_of. */
void wait_prepare(const struct snapshot *s);
/* May turn t's state RUNNING into KERNEL, when its kernel thread turns out to be blocked. */
void wait_of(const struct snapshot *s, struct look_thread *t, struct wait_info *ret_w);
/* What a kernel thread does: only `call`, `fd`, `object`. */
void wait_of_kernel(const struct snapshot *s, int tid, struct wait_info *ret_w);

/*
 * Circles of threads of which each waits for what the next one holds.  Each was looked at twice:
 * all its waits existed at the same time.
 */
struct circle {
	struct look_thread **threads;
	size_t n;
};

/* *ret: an array that the caller frees with circles_free. */
size_t circles_find(const struct snapshot *s, struct circle **ret);
void circles_free(struct circle *circles, size_t n);

#endif

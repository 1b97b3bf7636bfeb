// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall advise` in three parts: observe.c runs the program on the C library's threads and looks at it
 * meanwhile; costs.c measures what threads cost on this machine, on both; model.c is the arithmetic, the
 * cost-benefit model of Small and Seltzer (1995, section 5.1).
 *
 * Their question was whether a program of one thread should be given more: the waits that others could fill
 * are overlapped with computing, and what that costs is an upcall and a switch at either end of each.  A
 * program that has threads already overlaps its waits; for it the question is what each switch, each new
 * thread and each block in the kernel costs on these threads, and what on those.
 */
#ifndef UPCALL_CLI_ADVISE_H
#define UPCALL_CLI_ADVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../program.h"

/* What a thread waits for, as far as the kernel tells by the call (and the descriptor) that it waits in. */
enum wait_kind {
	FOR_DISK,	/* a file, or a page of one: can be overlapped (AT), blocks a kernel thread */
	FOR_PEER,	/* what another process or machine sends: can be overlapped (AT), blocks none on Upcall */
	FOR_ORDER,	/* what must be so before it goes on: fsync, wait, a file lock, and what is not known (ST) */
	FOR_THREAD,	/* another thread: locks, conditions, joins */
	FOR_WORK,	/* something to do, or a time: epoll, accept, sleep */
	WAIT_KINDS,
};

struct wait {
	const char *call;
	enum wait_kind kind;
	double time_s;		/* of all threads together */
	double switches;	/* counted while it was seen in this; a share of the whole */
};

enum { WAITS_MAX = 256 };

struct observation {
	double elapsed_s;
	double compute_s;	/* CT: processor time, of its children, too */
	double busy_s;		/* in which some thread ran, or would have */
	double device_s;	/* in which the busiest disk was */
	double switches;	/* of threads that began to wait */
	double started;		/* NF: threads, without each process's first */
	bool has_all_started;	/* false: those that were seen, there may have been more */
	unsigned processes, threads_peak;	/* the latter of one process, at one time */
	unsigned looks, refused;	/* the latter: threads of which the kernel did not show what they wait for */
	unsigned nwaits;
	struct wait waits[WAITS_MAX];
	bool was_stopped;	/* by us, at the end of the time that was given */
	int status;		/* of wait() */
};

/* Runs it to its end, or until `for_s` (0: without limit) are over; 0 or the errno for which it did not start. */
int observe(const struct program *p, char **argv, int argc, double for_s, struct observation *ret_seen);
/* The same on Upcall. */
int observe_on_upcall(char **argv, int argc, double for_s, struct observation *ret_seen);

enum { ON_GLIBC, ON_UPCALL, COSTS };

/* In ns of a processor's time. */
struct costs {
	double turn[COSTS];	/* a thread wakes another, and waits */
	double pass[COSTS];	/* the same by a byte in a pipe */
	double start[COSTS];	/* a thread is made, runs and is joined */
	double block[COSTS];	/* a block in the kernel, where other threads are ready */
	double block_alone;	/* the same where there is one thread */
};

/* False, after a line that says why, where something cannot be measured. */
bool costs_measure(struct costs *ret_costs);

enum verdict { GAINS, NO_GAIN, LOSES };

struct advice {
	bool is_threaded;
	double at_s, st_s, work_s, thread_s;	/* the waits: AT, ST, for work, for threads */
	double disk_at_s;			/* the part of AT that is for files */
	double without_s;			/* of one thread: neither computing nor waiting */
	double blocks;				/* RB; of a threaded program: those that stay in the kernel */
	double turns, passes;			/* waits that block no kernel thread on Upcall, for threads and peers */
	double upcall_ns;			/* an upcall and a switch */
	bool is_saturated;			/* a disk had no time left */
	double most_s;				/* that could be saved if threads cost nothing */
	double workers_s, forks_s;		/* saved by a fixed number of threads, by one for each block */
	double compute_s, elapsed_s;		/* saved on Upcall; of a threaded program */
	enum verdict verdict;
};

void model_apply(const struct observation *seen, const struct costs *costs, struct advice *ret_advice);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * What `upcall top` knows: every process, looked at again and again, and what changed in between.
 *
 * Counters of the library give the rates, /proc the CPU time.  The threads of a process are walked
 * only when they are shown, and less often where that takes long: a million of them cost a second.
 */
#ifndef UPCALL_TOP_SAMPLE_H
#define UPCALL_TOP_SAMPLE_H

#include "../look/snapshot.h"

/* Those up to C_PER_VPROC are counted by each vproc. */
enum counter {
	C_SWITCHES, C_PARKS, C_IO_WAITS, C_STEALS, C_PREEMPTIONS, C_WAKEUPS, C_BLOCKED, C_PER_VPROC,
	C_ADDED = C_PER_VPROC, C_UNBLOCKED, C_PREEMPTED, C_THREADS, C_ALL,
};
/* As the JSON calls them. */
extern const char *const counter_names[C_ALL];

/* What it stood at, and how much it grew in a second; -1: not known. */
struct rate {
	uint64_t count;
	double per_s;
};

struct top_vproc {
	unsigned id;
	int cpu;
	const char *state;	/* "running", "idle", "off" */
	uint32_t thread;	/* whom it runs, 0: nobody */
	uint64_t queue;		/* ready threads that wait in it */
	double busy;		/* CPU time of its kernel threads, per second; -1: not known */
	struct rate rates[C_PER_VPROC];
};

struct top_thread {
	struct look_thread *t;	/* of the snapshot */
	double cpu;		/* CPU time per second; -1: not known */
};

struct top_process {
	pid_t pid;
	struct target target;
	bool is_seen;			/* found in this round */
	uint64_t at_ns;			/* this sample; 0: none yet */
	double seconds;			/* since the one before; 0: there is none */
	uint64_t cpu_ns;
	double cpu;
	uint64_t live, queue;
	unsigned running, blocked, spare;	/* activations */
	struct rate rates[C_ALL];
	struct top_vproc *vprocs;
	size_t nvprocs;
	struct cpu_seen *tasks;		/* of kernel threads, by tid */
	size_t ntasks;

	/* Only where they are shown. */
	bool has_threads;
	struct snapshot snapshot;
	struct top_thread *threads;
	size_t states[LOOK_STATES], io_waiters;
	struct cpu_seen *seen;		/* of threads, by id */
	size_t nseen;
	uint64_t walked_ns, walk_ns;	/* when they were walked, and what CPU time it took */
	double walk_seconds;		/* between the last two walks */
};

struct top {
	const pid_t *pids;		/* only these; NULL: all */
	size_t npids;
	bool is_thorough;		/* threads are walked at each look, however long it takes */
	struct top_process **processes;	/* by CPU time, most first */
	size_t n;
	size_t nclosed;			/* processes that may not be looked at */
	char problem[300];		/* of the last one */
};

/* Looks at all processes; threads of the one with pid `shown`, of all if -1, of none if 0. */
void top_sample(struct top *top, pid_t shown);
struct top_process *top_process(const struct top *top, pid_t pid);

#endif

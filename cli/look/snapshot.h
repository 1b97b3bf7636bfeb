// SPDX-License-Identifier: BSD-2-Clause
/*
 * The threads, activations and vprocs of a target at one look.
 *
 * Nothing is stopped, so no two threads are seen at the same instant.  A descriptor is copied at one
 * go, and read twice, until both copies agree on state and wait, unless its thread is parked and
 * waits for nothing that somebody holds: such a copy could be torn only by a thread that is woken,
 * runs and waits anew while it is copied, and would still name a wait that just began or ended.
 * Descriptors are never unmapped and never leave the list, so the walk cannot lose its way.
 */
#ifndef UPCALL_LOOK_SNAPSHOT_H
#define UPCALL_LOOK_SNAPSHOT_H

#include "target.h"

/* What people are shown (design names). */
enum look_state {
	LOOK_NEW, LOOK_READY, LOOK_RUNNING, LOOK_PARKED, LOOK_KERNEL, LOOK_BOUND, LOOK_DONE, LOOK_STATES,
};
extern const char *const look_state_names[LOOK_STATES];

struct look_thread {
	uint64_t address;		/* of its descriptor */
	uint64_t sp, tls, act, start;
	uint64_t wait_key, wait_arg, wait_deadline_ns;
	uint64_t cpu_ticks, left_ticks;
	uint64_t run_ticks;		/* on an activation: when it came there; else 0 */
	uint64_t stack_low, stack_bytes, guard_bytes, stack_start;
	uint32_t id, wait_seq;
	int tid;
	uint8_t state;			/* enum look_state */
	uint8_t wait_kind;
	bool is_user;
	bool is_switched_out;		/* its registers are at `sp` */
	char name[16];
};

struct look_activation {
	uint64_t address, thread, vproc, tsc;
	int tid;			/* as it is called here (kernel_tid_here), like all that are no thread's own */
	bool is_lost, owns;		/* owns: `vproc` is its own at this moment */
};

struct look_vproc {
	uint64_t address, owner;
	unsigned id;
	int cpu;
};

struct snapshot {
	struct target *target;
	struct look_thread *threads;	/* by address */
	size_t nthreads;
	struct look_activation *activations;
	size_t nactivations;
	struct look_vproc *vprocs;
	size_t nvprocs;
	int monitor_tid, clerk_tid;
	bool is_started;
	bool is_cut;			/* a core file without some descriptors */
	uint64_t now_ns, now_ticks;	/* of a core file: the last tick anybody noted; ns 0 */
	double ns_per_tick;
	uint32_t *by_tid;		/* hash of made-up and real tids: index into threads + 1 */
	size_t by_tid_size;
};

bool snapshot_take(struct snapshot *s, struct target *t);
/* Only vprocs, activations and the time, anew; the threads stay as they are. */
bool snapshot_take_carriers(struct snapshot *s, struct target *t);
void snapshot_free(struct snapshot *s);
struct look_thread *snapshot_by_address(const struct snapshot *s, uint64_t address);
struct look_thread *snapshot_by_tid(const struct snapshot *s, int tid);
struct look_thread *snapshot_by_id(const struct snapshot *s, uint32_t id);
const struct look_activation *snapshot_activation(const struct snapshot *s, uint64_t address);
const struct look_vproc *snapshot_vproc(const struct snapshot *s, uint64_t address);
/* Reads one thread again, into *ret; false if it is no longer there. */
bool snapshot_reread(const struct snapshot *s, uint64_t address, struct look_thread *ret);
uint64_t snapshot_ns(const struct snapshot *s, uint64_t ticks);
/* CPU time, and since when it has been off (or on) a CPU; UINT64_MAX: not known. */
uint64_t thread_cpu_ns(const struct snapshot *s, const struct look_thread *t);
uint64_t thread_for_ns(const struct snapshot *s, const struct look_thread *t);
/* The kernel thread that carries it now, or 0. */
int thread_kernel_tid(const struct snapshot *s, const struct look_thread *t);

#endif

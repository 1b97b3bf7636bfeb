// SPDX-License-Identifier: BSD-2-Clause
/*
 * What this kernel and this process's surroundings allow.  Each probe tries the thing itself, since
 * version numbers lie (containers, seccomp, backports, configuration), and leaves nothing behind.
 * Raw system calls only, no memory allocated: the runtime may probe from anywhere.
 */
#ifndef UPCALL_SYS_PROBE_H
#define UPCALL_SYS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
/* True when the comma-separated list (the value of UPCALL_DISABLE; may be NULL) names the feature. */
bool probe_is_disabled(const char *list, const char *feature);
/* Valgrind and the sanitizers follow each thread by its kernel thread, and know nothing of switched stacks. */
bool probe_is_instrumented(void);
bool probe_has_tsan(void);
/* Valgrind's checkers of races, as a command or around us: what they know they see at the C library's own functions. */
bool probe_checks_races(char *const *argv);
bool probe_is_checked_for_races(void);

/* Each: 0 when it works here, else -errno. */
/* Its descriptor, at least `least`, or -errno; it is not set. */
int probe_open_alarm(int tid, int sig, unsigned ns, int least);
int probe_alarm(void);
int probe_perf(void);		/* context-switch records of a kernel thread of ours */
int probe_scx(void);		/* the kernel has sched_ext */
int probe_io_uring(void);
int probe_io_uring_futex(void);	/* and it can wait for futexes */
int probe_ring_futex(int fd);
int probe_nowait(void);		/* preadv2 with RWF_NOWAIT, on a pipe */
int probe_fsgsbase(void);	/* user space may write the FS base */
int probe_guard(void);		/* MADV_GUARD_INSTALL */
int probe_slice(void);		/* a kernel thread may ask for short slices */
int probe_spin(void);		/* the process may ask for its own code */
int probe_rseq(void);
/* Time-slice extension by rseq: prctl(PR_RSEQ_SLICE_EXTENSION), Linux 7.0, and its arguments. */
enum { RSEQ_SLICE_PRCTL = 79, RSEQ_SLICE_GET = 1, RSEQ_SLICE_SET = 2, RSEQ_SLICE_ENABLE = 1 };
int probe_rseq_slice(void);
int probe_membarrier(void);	/* MEMBARRIER_CMD_PRIVATE_EXPEDITED */

/* CPUs in the caller's affinity mask, or -errno. */
int probe_affinity_cpus(void);
/* The tightest CPU quota of the control groups above us, in thousandths of a CPU; 0: no limit. */
uint64_t probe_quota_milli_cpus(void);
enum { PROBE_VPROCS_MAX = 256 };
/* How many vprocs a program gets unless it is told: the mask, no more than the quota rounded up. */
int probe_default_vprocs(void);
int probe_vprocs(uint64_t quota_milli_cpus);	/* the same where the quota is known */
/* How long each CPU below n has been idle, in /proc/stat's ticks (0: it is not there); -errno. */
int probe_idle_ticks(uint64_t *ticks, unsigned n);

/* The first number in a file such as one of /proc/sys, or `otherwise`. */
int64_t probe_number(const char *path, int64_t otherwise);
#pragma GCC visibility pop

#endif

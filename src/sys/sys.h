// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's calls that the runtime makes, each returning 0 (or a value) or -errno.  No policy. */
#ifndef UPCALL_SYS_H
#define UPCALL_SYS_H

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "../arch/arch.h"
#include "../base/atomic.h"
#include "../base/clock.h"
#include "numbers.h"

static inline int sys_gettid(void)
{
	return (int)arch_syscall0(SYS_gettid);
}

static inline int sys_getpid(void)
{
	return (int)arch_syscall0(SYS_getpid);
}

/* Sleeps while *word == value, until deadline_ns on CLOCK_MONOTONIC (NEVER: no limit). */
static inline int sys_futex_wait(struct au32 *word, uint32_t value, uint64_t deadline_ns)
{
	struct timespec ts = { (time_t)(deadline_ns / NS_PER_S), (long)(deadline_ns % NS_PER_S) };

	return (int)arch_syscall6(SYS_futex, (long)word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
				  deadline_ns == NEVER ? 0 : (long)&ts, 0, FUTEX_BITSET_MATCH_ANY);
}

static inline int sys_futex_wake(struct au32 *word, int n)
{
	return (int)arch_syscall3(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, n);
}

static inline int sys_tgkill(int tid, int sig)
{
	return (int)arch_syscall3(SYS_tgkill, sys_getpid(), tid, sig);
}

static inline void sys_yield(void)
{
	arch_syscall0(SYS_sched_yield);
}

static inline int sys_sigmask(int how, const uint64_t *set, uint64_t *ret_old)
{
	return (int)arch_syscall4(SYS_rt_sigprocmask, how, (long)set, (long)ret_old, 8);
}

/* Copies the process's own memory, all or nothing, without a fault where it cannot be read. */
static inline int sys_read_own(void *to, uintptr_t from, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)from, bytes };
	long done = arch_syscall6(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)&there, 1, 0);

	return done == (long)bytes ? 0 : done < 0 ? (int)done : -EFAULT;
}

/* The same the other way: 0, or -errno where it cannot be written. */
static inline int sys_write_own(void *to, const void *from, size_t bytes)
{
	struct iovec here = { (void *)(uintptr_t)from, bytes }, there = { to, bytes };
	long done = arch_syscall6(SYS_process_vm_writev, sys_getpid(), (long)&here, 1, (long)&there, 1, 0);

	return done == (long)bytes ? 0 : done < 0 ? (int)done : -EFAULT;
}

#pragma GCC visibility push(hidden)
/* Private anonymous memory, or NULL. */
void *sys_map(size_t bytes);
void sys_unmap(void *addr, size_t bytes);
long sys_map_file(const void *at, size_t bytes, int prot, int fd);	/* shared; NULL: anywhere.  The address or -errno */
/* The same advice (MADV_*) for each range of memory, in one call: all of them, or -errno and perhaps some. */
int sys_advise_each(const struct iovec *ranges, unsigned n, int advice);
/* Pins kernel thread `tid` (0: the caller) to one CPU. */
int sys_pin(int tid, int cpu);
/* How the kernel schedules a kernel thread (struct sched_attr, its first version). */
struct sys_policy {
	uint32_t bytes, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};
/* The caller's; all zero where the kernel does not tell. */
void sys_get_policy(struct sys_policy *ret_policy);
void sys_set_policy(struct sys_policy *policy);
/*
 * How long a kernel thread wants to run at a time, of 0.1 to 100 ms (0: as others): who wants less is let in sooner, and has
 * no more of a processor for it (EEVDF; nothing happens before Linux 6.12, and under a real-time policy).
 */
void sys_set_slice(int tid, uint64_t ns);
/* The calling kernel thread's, or 0. */
int sys_real_time_priority(void);
int sys_set_affinity(int tid, const void *mask, size_t bytes);
int sys_get_affinity(int tid, void *mask, size_t bytes);
/* What ps calls kernel thread `tid` of this process; 15 bytes count. */
int sys_set_name(int tid, const char *name);
/* CPU time of kernel thread `tid` of this process. */
uint64_t sys_thread_cpu_ns(int tid);
uint64_t sys_process_cpu_ns(void);
/* Off the processor for so long. */
void sys_nap(uint64_t ns);
/* How often the calling kernel thread has blocked. */
long sys_blocks(void);
/* What is pending for the process, or else for the calling kernel thread alone, as /proc says; all, if that cannot be read. */
uint64_t sys_pending(bool of_process);
/* True when kernel thread `tid` of this process sleeps in the kernel (/proc/self/task/TID/syscall). */
bool sys_is_blocked(int tid);
/* Where it sleeps: 0, -EBUSY (it does not), or what /proc fails with.  The call is -1 where it is in none. */
int sys_blocked_at(int tid, long *ret_call, uintptr_t *ret_sp, uintptr_t *ret_pc);
/*
 * True when kernel thread `tid` of this process takes no signal, though it is listed: it has ended, and its process or its
 * tracer has not seen to it yet; or it is one that the kernel made for itself, as io_uring's.  False where /proc does not say.
 */
bool sys_is_deaf(int tid);
/* True when it takes none now, and will: it waits in vfork, or for a disk, or is held by a tracer. */
bool sys_is_held(int tid);
/* Every other CPU that runs this process passes a full barrier. */
bool sys_membarrier_init(void);	/* false: there is none; another way serves, which is not sure on all processors */
void sys_membarrier(void);
#pragma GCC visibility pop

#endif

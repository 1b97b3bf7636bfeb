// SPDX-License-Identifier: BSD-2-Clause
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "../base/print.h"

/* Declared in base/clock.h; posix/ tells them apart at load. */
int (*clock_read)(clockid_t clock, struct timespec *ts) = clock_gettime;
int (*clock_program)(clockid_t clock, struct timespec *ts) = clock_gettime;
bool clock_is_replaced;
double clock_speeds[2] = { 1, 1 };

void *sys_map(size_t bytes)
{
	long addr = arch_syscall6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return addr < 0 && addr > -4096 ? NULL : (void *)addr;
}

void sys_unmap(void *addr, size_t bytes)
{
	arch_syscall2(SYS_munmap, (long)addr, (long)bytes);
}

/*
 * A mapping over another has taken that away before it is found to be refused, and the hole is anybody's.  So
 * it is asked for elsewhere first: what the kernel counts, it counts there.
 */
long sys_map_file(const void *at, size_t bytes, int prot, int fd)
{
	long first = arch_syscall6(SYS_mmap, 0, (long)bytes, prot, MAP_SHARED, fd, 0);

	if (!at || (first < 0 && first > -4096))
		return first;
	long map = arch_syscall6(SYS_mmap, (long)at, (long)bytes, prot, MAP_SHARED | MAP_FIXED, fd, 0);

	sys_unmap((void *)first, bytes);
	return map;
}

int sys_advise_each(const struct iovec *ranges, unsigned n, int advice)
{
	enum { MYSELF = -10000 };	/* PIDFD_SELF_THREAD; EBADF where the kernel does not know it */
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += ranges[i].iov_len;
	long done = arch_syscall6(SYS_process_madvise, MYSELF, (long)ranges, n, advice, 0, 0);

	return done == (long)bytes ? 0 : done < 0 ? (int)done : -EINVAL;
}

void sys_get_policy(struct sys_policy *ret_policy)
{
	struct sys_policy none = { 0 };

	if (arch_syscall4(SYS_sched_getattr, 0, (long)ret_policy, sizeof(*ret_policy), 0) < 0)
		*ret_policy = none;
}

int sys_real_time_priority(void)
{
	int priority = 0;		/* all that is in a struct sched_param */

	arch_syscall2(SYS_sched_getparam, 0, (long)&priority);
	return priority;
}

void sys_set_policy(struct sys_policy *policy)
{
	arch_syscall3(SYS_sched_setattr, 0, (long)policy, 0);
}

void sys_set_slice(int tid, uint64_t ns)
{
	struct sys_policy its = { 0 };

	arch_syscall4(SYS_sched_getattr, tid, (long)&its, sizeof(its), 0);
	if (!its.bytes || (its.policy != SCHED_OTHER && its.policy != SCHED_BATCH))
		return;
	its.runtime = ns;
	arch_syscall3(SYS_sched_setattr, tid, (long)&its, 0);
}

int sys_pin(int tid, int cpu)
{
	unsigned long mask[CPU_SETSIZE / (8 * sizeof(long))] = { 0 };

	mask[(size_t)cpu / (8 * sizeof(long))] = 1ul << ((size_t)cpu % (8 * sizeof(long)));
	return sys_set_affinity(tid, mask, sizeof(mask));
}

int sys_set_affinity(int tid, const void *mask, size_t bytes)
{
	return (int)arch_syscall3(SYS_sched_setaffinity, tid, (long)bytes, (long)mask);
}

int sys_get_affinity(int tid, void *mask, size_t bytes)
{
	return (int)arch_syscall3(SYS_sched_getaffinity, tid, (long)bytes, (long)mask);
}

int sys_set_name(int tid, const char *name)
{
	char path[64];

	if (tid == sys_gettid())
		return (int)arch_syscall2(SYS_prctl, PR_SET_NAME, (long)name);
	print_to(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	int fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	long n = arch_syscall3(SYS_write, fd, (long)name, (long)strlen(name));

	arch_syscall1(SYS_close, fd);
	return n < 0 ? (int)n : 0;
}

/* The start of a file of /proc/self/task/TID; its length, or -errno. */
static long read_task_file(int tid, const char *name, char *text, size_t size)
{
	char path[64];

	print_to(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	int fd = (int)arch_syscall3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	long n = arch_syscall3(SYS_read, fd, (long)text, (long)size - 1);

	arch_syscall1(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

uint64_t sys_thread_cpu_ns(int tid)
{
	/* The kernel's clock id for one thread's CPU time (linux/posix-timers.h): ~tid << 3 | per-thread | sched. */
	enum { PER_THREAD = 4, SCHED = 2 };
	struct timespec ts = { 0 };

	arch_syscall2(SYS_clock_gettime, (long)(int)(((unsigned)~tid << 3) | PER_THREAD | SCHED), (long)&ts);
	return ns_from_timespec(&ts);
}

uint64_t sys_process_cpu_ns(void)
{
	struct timespec ts = { 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&ts);
	return ns_from_timespec(&ts);
}

void sys_nap(uint64_t ns)
{
	struct au32 never = { 0 };

	sys_futex_wait(&never, 0, now_ns() + ns);
}

long sys_blocks(void)
{
	struct rusage usage = { 0 };

	arch_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)&usage);
	return usage.ru_nvcsw;
}

/* As in /proc, or 0: that does not say. */
static char task_state(int tid)
{
	char text[256], *name_end;

	if (read_task_file(tid, "stat", text, sizeof(text)) <= 0)
		return 0;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

bool sys_is_blocked(int tid)
{
	char text[16];

	/* "running", or the number of the call it sleeps in (-1: a fault). */
	if (read_task_file(tid, "syscall", text, sizeof(text)) > 0)
		return text[0] != 'r';
	/* A process that has changed its user may not read that, but everybody may read this. */
	char state = task_state(tid);

	return state && state != 'R';
}

/* The next number of a line, decimal or 0x...; libc's strtoul wants a locale, which an activation has none of. */
static uint64_t next_number(const char **at)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	uint64_t n = 0, base = 10;

	while (**at == ' ')
		++*at;
	if ((*at)[0] == '0' && (*at)[1] == 'x') {
		base = 16;
		*at += 2;
	}
	for (; **at && (digit = strchr(digits, **at)); ++*at)
		n = n * base + (uint64_t)(digit - digits);
	return n;
}

int sys_blocked_at(int tid, long *ret_call, uintptr_t *ret_sp, uintptr_t *ret_pc)
{
	enum { ARGUMENTS = 6 };
	char text[256];
	const char *at = text;
	long n = read_task_file(tid, "syscall", text, sizeof(text));

	if (n <= 0)
		return n < 0 ? (int)n : -ESRCH;
	if (text[0] == 'r')		/* "running" */
		return -EBUSY;
	/* The call with its arguments, or -1; then these two. */
	*ret_call = -1;
	if (text[0] == '-') {
		at = text + 2;
	} else {
		*ret_call = (long)next_number(&at);
		for (int i = 0; i < ARGUMENTS; i++)
			next_number(&at);
	}
	*ret_sp = next_number(&at);
	*ret_pc = next_number(&at);
	return 0;
}

/* In D a signal waits until the kernel is done, as with a child of vfork's; in t until a tracer lets the thread go on. */
bool sys_is_held(int tid)
{
	char state = task_state(tid);

	return state == 'D' || state == 't';
}

bool sys_is_deaf(int tid)
{
	enum { IO_WORKER = 0x10, USER_WORKER = 0x4000, FIELDS_BETWEEN = 5 };
	char text[256], *at;

	if (read_task_file(tid, "stat", text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || !at[2])
		return false;
	if (at[2] == 'Z' || at[2] == 'X')
		return true;
	at += 3;
	for (int i = 0; i < FIELDS_BETWEEN; i++)
		strtol(at, &at, 10);
	return strtoul(at, NULL, 10) & (IO_WORKER | USER_WORKER);
}

uint64_t sys_pending(bool of_process)
{
	const char *field = of_process ? "\nShdPnd:\t" : "\nSigPnd:\t";
	char text[4096];
	const char *at = read_task_file(sys_gettid(), "status", text, sizeof(text)) > 0 ? strstr(text, field) : NULL;

	return at ? strtoull(at + strlen(field), NULL, 16) : ~UINT64_C(0);
}

bool sys_membarrier_init(void)
{
	return arch_syscall3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/*
 * Where that is refused: a page that goes away goes from the TLBs of all processors that run the process, and each is
 * interrupted for that (x86: but for processors that are told by INVLPGB, where the process runs on more than three).
 */
static COLD void barrier_by_unmapping(void)
{
	enum { PAGE = 4096 };
	volatile char *page = sys_map(PAGE);

	if (!page)
		return;
	*page = 1;
	sys_unmap((void *)page, PAGE);
}

void sys_membarrier(void)
{
	if (unlikely(arch_syscall3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0))
		barrier_by_unmapping();
}

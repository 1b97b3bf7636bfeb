// SPDX-License-Identifier: BSD-2-Clause
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "../arch/arch.h"
#include "sys.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif
#define MADV_GUARD 102		/* MADV_GUARD_INSTALL, Linux 6.13 */
#define HWCAP2_FSGS 2		/* HWCAP2_FSGSBASE */
#define PAGE_BYTES 4096
#define RING_BYTES (2 * PAGE_BYTES)

/* A sanitizer defines its own, whatever else it is. */
extern void __asan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));
extern void __lsan_do_leak_check(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

bool probe_is_instrumented(void)
{
	const char *preloads = getenv("LD_PRELOAD");

	return __asan_init || __hwasan_init || __lsan_do_leak_check || __msan_init || __tsan_init ||
	       (preloads && strstr(preloads, "/vgpreload_"));
}

bool probe_has_tsan(void)
{
	return __tsan_init;
}

bool probe_checks_races(char *const *argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];

	if (strcmp(name, "valgrind") != 0 && strcmp(name, "valgrind.bin") != 0)
		return false;
	const char *options = getenv("VALGRIND_OPTS");

	if (options && (strstr(options, "--tool=helgrind") || strstr(options, "--tool=drd")))
		return true;
	for (argv++; *argv && (*argv)[0] == '-'; argv++)
		if (!strcmp(*argv, "--tool=helgrind") || !strcmp(*argv, "--tool=drd"))
			return true;
	return false;
}

bool probe_is_checked_for_races(void)
{
	const char *preloads = getenv("LD_PRELOAD");

	return preloads && (strstr(preloads, "/vgpreload_helgrind") || strstr(preloads, "/vgpreload_drd"));
}

bool probe_is_disabled(const char *list, const char *feature)
{
	size_t len = strlen(feature);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, feature, n))
			return true;
		list += n;
		list += *list == ',';
	}
	return false;
}

static int close_fd(long fd)
{
	if (fd < 0)
		return (int)fd;
	arch_syscall1(SYS_close, fd);
	return 0;
}

static bool is_error(long ret)
{
	return ret < 0 && ret >= -4095;
}

static int error_of(long ret)
{
	return ret < 0 ? (int)ret : 0;
}

static long move_up(long fd, int least)
{
	long moved = arch_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);

	close_fd(fd);
	return moved;
}

/* Of what kernel thread `tid` computes in the program's code; `ns` later it is sent `sig`, which names the descriptor. */
int probe_open_alarm(int tid, int sig, unsigned ns, int least)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = ns,
		.wakeup_events = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	struct f_owner_ex owner = { F_OWNER_TID, tid };
	long fd = arch_syscall5(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC), err;

	if (fd >= 0 && fd < least)
		fd = move_up(fd, least);
	if (fd < 0)
		return (int)fd;
	err = arch_syscall3(SYS_fcntl, fd, F_SETSIG, sig);
	err = err ? err : arch_syscall3(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner);
	err = err ? err : arch_syscall3(SYS_fcntl, fd, F_SETFL, O_RDWR | O_ASYNC);
	if (err)
		close_fd(fd);
	return (int)(err ? err : fd);
}

int probe_alarm(void)
{
	int fd = probe_open_alarm(sys_gettid(), SIGURG, NS_PER_S, 0);

	if (fd < 0)
		return fd;
	close_fd(fd);
	return 0;
}

int probe_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.context_switch = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	long fd = arch_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return (int)fd;
	/* The records are read from memory: an event whose ring cannot be mapped is of no use. */
	long ring = arch_syscall6(SYS_mmap, 0, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close_fd(fd);
	if (is_error(ring))
		return (int)ring;
	arch_syscall2(SYS_munmap, ring, RING_BYTES);
	return 0;
}

int probe_scx(void)
{
	return error_of(arch_syscall2(SYS_access, (long)"/sys/kernel/sched_ext/state", 0));
}

int probe_io_uring(void)
{
	struct io_uring_params params = { 0 };

	return close_fd(arch_syscall2(SYS_io_uring_setup, 4, (long)&params));
}

/* Does the io_uring `fd` know how to wait for a futex? */
int probe_ring_futex(int fd)
{
	enum { FUTEX_WAIT_OP = 51, NOPS = FUTEX_WAIT_OP + 1 };		/* Linux 6.7 */
	struct { struct io_uring_probe head; struct io_uring_probe_op ops[NOPS]; } p;

	memset(&p, 0, sizeof(p));
	long err = arch_syscall4(SYS_io_uring_register, fd, IORING_REGISTER_PROBE, (long)&p, NOPS);

	if (err < 0)
		return (int)err;
	return p.ops[FUTEX_WAIT_OP].flags & IO_URING_OP_SUPPORTED ? 0 : -ENOSYS;
}

int probe_io_uring_futex(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)arch_syscall2(SYS_io_uring_setup, 4, (long)&params);
	int err = fd < 0 ? fd : probe_ring_futex(fd);

	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
	return err;
}

int probe_nowait(void)
{
	char byte;
	struct iovec v = { &byte, 1 };
	int fds[2];
	long n = arch_syscall2(SYS_pipe2, (long)fds, O_CLOEXEC);

	if (n)
		return (int)n;
	n = arch_syscall6(SYS_preadv2, fds[0], (long)&v, 1, -1, -1, RWF_NOWAIT);
	close_fd(fds[0]);
	close_fd(fds[1]);
	return n == -EAGAIN ? 0 : error_of(n);
}

int probe_fsgsbase(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_FSGS ? 0 : -ENOSYS;
}

int probe_guard(void)
{
	long page = arch_syscall6(SYS_mmap, 0, PAGE_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (is_error(page))
		return (int)page;
	int err = (int)arch_syscall3(SYS_madvise, page, PAGE_BYTES, MADV_GUARD);

	arch_syscall2(SYS_munmap, page, PAGE_BYTES);
	return err;
}

int probe_slice(void)
{
	struct sys_policy mine = { 0 };
	long err = arch_syscall4(SYS_sched_getattr, 0, (long)&mine, sizeof(mine), 0);

	if (!err && !mine.runtime)
		return -ENOSYS;		/* Linux 6.12 is the first to tell it */
	return (int)(err ? err : arch_syscall3(SYS_sched_setattr, 0, (long)&mine, 0));
}

int probe_spin(void)
{
	char code;

	return sys_read_own(&code, (uintptr_t)probe_spin, sizeof(code));
}

int probe_rseq(void)
{
	/* A length that no kernel accepts: EINVAL from one that has the call, ENOSYS else. */
	long err = arch_syscall4(SYS_rseq, 0, 1, 0, 0);

	return err == -ENOSYS || err == -EPERM ? (int)err : 0;
}

int probe_rseq_slice(void)
{
	return error_of(arch_syscall5(SYS_prctl, RSEQ_SLICE_PRCTL, RSEQ_SLICE_GET, 0, 0, 0));
}

int probe_membarrier(void)
{
	long commands = arch_syscall3(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	if (commands < 0)
		return (int)commands;
	return commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED ? 0 : -EINVAL;
}

int probe_affinity_cpus(void)
{
	unsigned long mask[1024];
	long bytes = arch_syscall3(SYS_sched_getaffinity, 0, sizeof(mask), (long)mask);
	int cpus = 0;

	if (bytes < 0)
		return (int)bytes;
	for (size_t i = 0; i < (size_t)bytes / sizeof(mask[0]); i++)
		cpus += __builtin_popcountl(mask[i]);
	return cpus;
}

int probe_default_vprocs(void)
{
	return probe_vprocs(probe_quota_milli_cpus());
}

int probe_vprocs(uint64_t quota_milli_cpus)
{
	int cpus = probe_affinity_cpus();
	uint64_t quota = (quota_milli_cpus + 999) / 1000;

	if (cpus < 1)
		cpus = 1;
	if (cpus > PROBE_VPROCS_MAX)
		cpus = PROBE_VPROCS_MAX;
	return quota && quota < (uint64_t)cpus ? (int)quota : cpus;
}

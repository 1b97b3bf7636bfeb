// SPDX-License-Identifier: BSD-2-Clause
/*
 * Event sources: is this activation blocked in the kernel?
 *
 * perf: each activation carries a PERF_COUNT_SW_DUMMY event with context_switch records, no
 * privilege needed.  Its ring is mapped read-only, so the kernel overwrites the oldest records, and
 * the last one says what happened last: switched out while it still wanted to run (PREEMPT),
 * switched out because it blocked, or switched in.  Nothing is woken, nothing is polled: the spare
 * reads one word of memory.  Each record is 16 bytes: a header and a time on CLOCK_MONOTONIC.
 *
 * monitor (no perf): when its CPU time stands still, /proc/self/task/TID/syscall, exact too.
 */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "../sched/vproc.h"

enum { PAGE = 4096, RECORD = 16 };

static int perf_open_self(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.context_switch = 1;
	attr.exclude_kernel = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.watermark = 1;
	attr.wakeup_watermark = UINT32_MAX;
	return (int)arch_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void source_attach(struct activation *a)
{
	a->perf_page = NULL;
	if (!sched.use_perf)
		return;
	int fd = perf_open_self();

	if (fd < 0)
		return;
	/* The mapping keeps the event alive: no descriptor of ours stays in the program's table. */
	long map = arch_syscall6(SYS_mmap, 0, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	arch_syscall1(SYS_close, fd);
	if (map > 0)
		__atomic_store_n(&a->perf_page, (const void *)map, __ATOMIC_RELEASE);
}

void source_detach(struct activation *a)
{
	const void *page = a->perf_page;

	__atomic_store_n(&a->perf_page, NULL, __ATOMIC_RELEASE);
	if (page)
		arch_syscall2(SYS_munmap, (long)page, 2 * PAGE);
}

/* The header of the last record, or 0 when there is none yet; its time if asked. */
static uint64_t last_record(const void *page, uint64_t *ret_time)
{
	const struct perf_event_mmap_page *meta = page;
	uint64_t head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);

	if (head < RECORD)
		return 0;
	const uint64_t *rec = (const uint64_t *)((const char *)page + PAGE + ((head - RECORD) & (PAGE - 1)));

	if (ret_time)
		*ret_time = rec[1];
	return rec[0];
}

static bool record_says(uint64_t rec, uint16_t wanted)
{
	uint16_t misc = (uint16_t)(rec >> 32);

	return (uint32_t)rec == PERF_RECORD_SWITCH &&
	       (misc & (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)) == wanted;
}

/*
 * Has it had the CPU since the last look?  Then it is not blocked, and the file of /proc, which
 * takes the program's lowest free descriptor for a moment, need not be read.
 */
static bool has_run(struct activation *a)
{
	uint64_t cpu_ns = sys_thread_cpu_ns(a->tid);

	return xchg_acq_rel(&a->seen_cpu_ns, cpu_ns) != cpu_ns;
}

bool source_is_blocked(struct activation *a)
{
	const void *page = __atomic_load_n(&a->perf_page, __ATOMIC_ACQUIRE);

	if (!page)
		return !has_run(a) && sys_is_blocked(a->tid);
	return record_says(last_record(page, NULL), PERF_RECORD_MISC_SWITCH_OUT);
}

bool source_is_running(struct activation *a)
{
	return !source_is_blocked(a);
}

/* When the activation was last switched in, or 0. */
uint64_t source_in_since(struct activation *a)
{
	uint64_t time = 0;

	if (!a->perf_page || !record_says(last_record(a->perf_page, &time), 0))
		return 0;
	return time;
}

void source_init(void)
{
	int fd = sched.use_perf ? perf_open_self() : -1;

	sched.use_perf = fd >= 0;
	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
}

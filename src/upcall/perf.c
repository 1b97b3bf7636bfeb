// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf: each activation carries a PERF_COUNT_SW_DUMMY event with context_switch records, no privilege
 * needed.  Its ring is mapped read-only, so the kernel overwrites the oldest records, and the last one
 * says what happened last: switched out while it still wanted to run (PREEMPT), switched out because
 * it blocked, or switched in.  Nothing is woken, nothing is polled: the spare reads one word of memory.
 * Each record is 16 bytes: a header and a time on CLOCK_MONOTONIC.
 *
 * What it adds to a switch between two such activations, an owner's block to its spare: 0.6 us of the kernel's
 * work (doc/speed.md says for what).
 *
 * The mapping keeps the event alive: no descriptor of ours stays in the program's table.  An event
 * ends when empty memory is mapped over its ring.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "source.h"

enum { PAGE = 4096, AREA = 2 * PAGE, RECORD = 16 };
enum { LOST_CPU = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT };

static int open_as(int tid, uint64_t config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config;
	attr.sample_type = PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.context_switch = 1;
	attr.exclude_kernel = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.watermark = 1;
	attr.wakeup_watermark = UINT32_MAX;
	return (int)arch_syscall5(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_event(int tid)
{
	return open_as(tid, PERF_COUNT_SW_DUMMY);
}

/* An event that is none is refused with ENOENT where a right one is to be had, and at once: see source_events_due_ns. */
static int start(unsigned patience_ms)
{
	int err = open_as(0, UINT32_MAX);

	(void)patience_ms;
	if (err >= 0)
		arch_syscall1(SYS_close, err);
	return err >= 0 || err == -ENOENT ? 0 : err;
}

void perf_warm_up(void)
{
	int fd = open_event(0);

	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
}

/* Where a's ring is, was or will be; NULL: no memory. */
static char *area_of(struct activation *a)
{
	char *none = NULL, *area = load_acquire(&a->perf_area);

	if (area)
		return area;
	long map = arch_syscall6(SYS_mmap, 0, AREA, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map < 0 && map > -4096)
		return NULL;
	area = (char *)map;
	if (!cas_seq_cst(&a->perf_area, &none, area)) {
		sys_unmap(area, AREA);
		return none;
	}
	return area;
}

static int open_for(struct activation *a, bool is_self)
{
	char *area = area_of(a);
	int fd = area ? open_event(is_self ? 0 : a->tid) : -1;

	if (fd < 0)
		return fd;
	long map = sys_map_file(area, AREA, PROT_READ, fd);

	arch_syscall1(SYS_close, fd);
	a->perf_is_late = !is_self;
	return map < 0 && map > -4096 ? (int)map : 0;
}

static int attach(struct activation *a, bool is_self)
{
	if (is_self && clerk_is_there())
		return -EAGAIN;		/* the clerk does it (source_attach_for); the next source will do until then */
	if (!strange_begin())
		return -EPERM;
	int err = open_for(a, is_self);

	strange_end();
	return err;
}

static void detach(struct activation *a)
{
	char *area = load_relaxed(&a->perf_area);

	if (area)
		arch_syscall6(SYS_mmap, (long)area, AREA, PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The header and the time of the record that ends at `end`. */
static uint64_t record_at(const void *area, uint64_t end, uint64_t *ret_time)
{
	const uint64_t *rec = (const uint64_t *)((const char *)area + PAGE + ((end - RECORD) & (PAGE - 1)));

	*ret_time = rec[1];
	return rec[0];
}

/* Of the last record, or 0 when there is none yet. */
static uint64_t last_record(const void *area, uint64_t *ret_time)
{
	const struct perf_event_mmap_page *meta = area;
	uint64_t head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);

	return head < RECORD ? 0 : record_at(area, head, ret_time);
}

static bool record_says(uint64_t rec, uint16_t wanted)
{
	uint16_t misc = (uint16_t)(rec >> 32);

	return (uint32_t)rec == PERF_RECORD_SWITCH && (misc & LOST_CPU) == wanted;
}

static bool is_blocked(struct activation *a)
{
	uint64_t time, rec = last_record(load_relaxed(&a->perf_area), &time);

	/* It may have been blocked already when its event was opened. */
	if (unlikely(!rec) && a->perf_is_late)
		return look_is_blocked(a);
	return record_says(rec, PERF_RECORD_MISC_SWITCH_OUT);
}

static uint64_t in_since(struct activation *a)
{
	uint64_t time = 0;

	return record_says(last_record(load_relaxed(&a->perf_area), &time), 0) ? time : 0;
}

static uint64_t blocked_since(struct activation *a)
{
	uint64_t time = 0, rec = last_record(load_relaxed(&a->perf_area), &time);

	if (unlikely(!rec) && a->perf_is_late)
		return activation_lost_ns(a, now_ns());
	return record_says(rec, PERF_RECORD_MISC_SWITCH_OUT) ? time : 0;
}

/*
 * A record does not say who has got the processor.  An armed spare of ours keeps it for microseconds; so what
 * counts is who was without it for longer than a grain, which is when it matters to those who wait.
 */
static unsigned preemptions(struct activation *a)
{
	const struct perf_event_mmap_page *meta = (const void *)load_relaxed(&a->perf_area);
	uint64_t head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);
	unsigned n = 0;

	if (head < a->perf_seen)		/* another event */
		a->perf_seen = a->perf_out_ns = 0;
	if (head - a->perf_seen > PAGE / 2)	/* what the kernel is not about to overwrite */
		a->perf_seen = head - PAGE / 2;
	for (; a->perf_seen != head; a->perf_seen += RECORD) {
		uint64_t time, rec = record_at(meta, a->perf_seen + RECORD, &time);

		n += a->perf_out_ns && time - a->perf_out_ns > SCHED_GRAIN_NS;
		a->perf_out_ns = record_says(rec, LOST_CPU) ? time : 0;
	}
	if (a->perf_out_ns && now_ns() - a->perf_out_ns > SCHED_GRAIN_NS) {
		a->perf_out_ns = 0;		/* it is told already when it comes back */
		n++;
	}
	return n;
}

const struct source source_perf = {
	.name = "perf", .switch_name = "perf", .start = start, .attach = attach, .detach = detach,
	.is_blocked = is_blocked, .in_since = in_since, .blocked_since = blocked_since,
	.bound_slices = 1, .preemptions = preemptions,
};

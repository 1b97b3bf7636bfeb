// SPDX-License-Identifier: BSD-2-Clause
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../base/child.h"
#include "../base/clock.h"
#include "../base/lock.h"
#include "../sys/sys.h"

enum { PAGE = 4096, WAIT_FOR_READER_MS = 2000 };

struct trace_memory trace_memory;
struct au64 trace_until_ticks;
struct trace_pen trace_pens[UPCALL_TRACE_RINGS];
static struct lock shared_lock;		/* ring 0 */
unsigned trace_nvprocs;
static unsigned nrings;			/* theirs, and that of everybody */
static struct {
	struct upcall_trace *memory;
	size_t bytes;
} given;				/* UPCALL_TRACE, not ours yet */

static size_t records_offset(void)
{
	return (sizeof(struct upcall_trace) + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static size_t memory_bytes(void)
{
	return records_offset() + (size_t)nrings * TRACE_RECORDS * sizeof(struct upcall_trace_record);
}

static void set_rings(uint16_t on)
{
	__atomic_store_n(&trace_switches.of[1], on, __ATOMIC_RELAXED);
}

static void prepare(struct upcall_trace *m, uint64_t until_ticks)
{
	m->version = UPCALL_TRACE_VERSION;
	m->record_bytes = sizeof(struct upcall_trace_record);
	m->nrings = nrings;
	m->ring_records = TRACE_RECORDS;
	m->records_offset = records_offset();
	m->until_ticks = until_ticks;
	__atomic_store_n(&m->magic, UPCALL_TRACE_MAGIC, __ATOMIC_RELEASE);
}

/* NULL: there is no memory. */
static struct upcall_trace *make_memory(void)
{
	struct upcall_trace *m = nrings ? sys_map(memory_bytes()) : NULL, *theirs = NULL;

	if (!m)
		return NULL;
	prepare(m, load_relaxed(&trace_until_ticks));
	m->pid = sys_getpid();
	if (cas_seq_cst(&trace_memory, &theirs, m))
		return m;
	sys_unmap(m, memory_bytes());
	return theirs;
}

/* A page fault for each 256 records would cost more than they do. */
static void touch_ring(struct upcall_trace_record *ring)
{
	enum { POPULATE_WRITE = 23 };	/* MADV_POPULATE_WRITE, from Linux 5.14 on */

	arch_syscall3(SYS_madvise, (long)ring, TRACE_RECORDS * (long)sizeof(*ring), POPULATE_WRITE);
}

static void take_pen(struct trace_pen *p, struct upcall_trace *m)
{
	size_t ring = (size_t)(p - trace_pens);

	p->records = (struct upcall_trace_record *)((char *)m + records_offset()) + ring * TRACE_RECORDS;
	p->head = &m->rings[ring].head;
	touch_ring(p->records);
}

/* What the records that follow leave out. */
static void say_all(struct trace_pen *p, uint64_t ticks)
{
	trace_put(p, ticks, 0, trace_rest(UPCALL_TRACE_TIME, 0, ticks >> 32));
	trace_put(p, ticks, p->thread, UPCALL_TRACE_THREAD);
	p->said_ticks = ticks;
	p->said_head = *p->head;
}

/* COLD would be for size. */
__attribute__((noinline)) struct trace_pen *trace_pen_slow(unsigned ring, uint64_t ticks)
{
	struct upcall_trace *m = load_acquire(&trace_memory);
	uint16_t session = __atomic_load_n(&trace_switches.of[1], __ATOMIC_RELAXED);
	struct trace_pen *p = &trace_pens[ring];

	if (!session)
		return NULL;
	if (!m && !(m = make_memory())) {
		set_rings(0);
		return NULL;
	}
	if (ticks > __atomic_load_n(&m->until_ticks, __ATOMIC_RELAXED)) {
		set_rings(0);
		return NULL;
	}
	if (!p->records)
		take_pen(p, m);
	p->session = session + 1u;
	say_all(p, ticks);
	return p;
}

__attribute__((noinline)) void trace_shared(uint64_t ticks, uint32_t by, uint32_t thread, uint64_t rest)
{
	lock_take(&shared_lock);
	trace_record_by(0, ticks, by, thread, rest);
	lock_drop(&shared_lock);
}

void trace_name(uint32_t thread, const char name[16])
{
	uint64_t ticks = arch_ticks();
	struct upcall_trace_event e = { .ticks = ticks, .kind = UPCALL_TRACE_NAME,
					.vproc = UPCALL_TRACE_NO_VPROC, .thread = thread };

	memcpy(&e.other, name, 16);
	if (trace_is_probed())
		trace_probe(&e);
	lock_take(&shared_lock);
	for (unsigned i = 0; i < 16; i += 6) {
		uint64_t part = 0;

		memcpy(&part, name + i, i < 12 ? 6 : 4);
		trace_record_by(0, ticks, TRACE_ANYBODY, thread, trace_rest(UPCALL_TRACE_NAME, i, part));
	}
	lock_drop(&shared_lock);
}

void trace_configure(void)
{
	const char *path = secure_getenv("UPCALL_TRACE");

	if (!path || !*path)
		return;
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	/* The path is of a descriptor that somebody had: what it leads to now may be anything. */
	if (arch_syscall2(SYS_fcntl, fd, F_GET_SEALS) < 0) {
		arch_syscall1(SYS_close, fd);
		return;
	}
	long bytes = arch_syscall3(SYS_lseek, fd, 0, SEEK_END);
	long map = bytes < PAGE ? -1 : arch_syscall6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	arch_syscall1(SYS_close, fd);
	if (map < 0 && map > -PAGE)
		return;
	if (((struct upcall_trace *)map)->version != UPCALL_TRACE_VERSION) {
		sys_unmap((void *)map, (size_t)bytes);
		return;
	}
	given.memory = (struct upcall_trace *)map;
	given.bytes = (size_t)bytes;
}

/* The reader looks at us, for names and symbols, before there is anything to miss. */
static void wait_for_reader(const struct upcall_trace *m)
{
	const struct timespec ms = { 0, NS_PER_MS };

	for (int i = 0; i < WAIT_FOR_READER_MS && !__atomic_load_n(&m->is_read, __ATOMIC_ACQUIRE); i++)
		arch_syscall2(SYS_nanosleep, (long)&ms, 0);
}

void trace_start(unsigned nvprocs)
{
	int32_t nobody = 0;

	struct upcall_trace *m = given.memory;

	nrings = nvprocs + 1 < UPCALL_TRACE_RINGS ? nvprocs + 1 : UPCALL_TRACE_RINGS;
	while (m && nrings && memory_bytes() > given.bytes)
		nrings--;		/* vprocs without a ring use that of everybody */
	trace_nvprocs = nrings ? nrings - 1 : 0;
	if (!m || !nrings)
		return;

	given.memory = NULL;
	if (!__atomic_compare_exchange_n(&m->pid, &nobody, sys_getpid(), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&m->refused, 1, __ATOMIC_RELAXED);
		sys_unmap(m, given.bytes);
		return;
	}
	prepare(m, m->until_ticks);
	store_release(&trace_memory, m);
	wait_for_reader(m);
	set_rings(1);
}

/* What there is belongs to the parent. */
void trace_fork_child(void)
{
	set_rings(0);
	lock_fork_child(&shared_lock);
	if (load_relaxed(&trace_memory))
		memset(trace_pens, 0, sizeof(trace_pens));
	zero_in_child(&trace_memory, sizeof(trace_memory));
}

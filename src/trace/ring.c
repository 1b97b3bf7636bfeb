// SPDX-License-Identifier: BSD-2-Clause
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../base/clock.h"
#include "../base/lock.h"
#include "../sys/sys.h"

enum { RING_EVENTS = 1 << 16, PAGE = 4096, WAIT_FOR_READER_MS = 2000 };

struct trace_memory trace_memory;
struct au64 trace_until_ticks;
static struct lock shared_lock;		/* ring 0 */
static unsigned nrings;
static struct {
	struct upcall_trace *memory;
	size_t bytes;
} given;				/* UPCALL_TRACE, not ours yet */

static size_t events_offset(void)
{
	return (sizeof(struct upcall_trace) + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static size_t memory_bytes(void)
{
	return events_offset() + (size_t)nrings * RING_EVENTS * sizeof(struct upcall_trace_event);
}

static void set_rings(bool on)
{
	__atomic_store_n(&trace_switches.of[1], on, __ATOMIC_RELAXED);
}

static void prepare(struct upcall_trace *m, uint64_t until_ticks)
{
	m->version = UPCALL_TRACE_VERSION;
	m->event_bytes = sizeof(struct upcall_trace_event);
	m->nrings = nrings;
	m->ring_events = RING_EVENTS;
	m->events_offset = events_offset();
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

/* The event as four words: on one cache line, half of it. */
struct slot {
	uint64_t word[4];
};

_Static_assert(sizeof(struct slot) == sizeof(struct upcall_trace_event), "an event is four words");

static struct slot *ring_of(struct upcall_trace *m, unsigned ring)
{
	return (struct slot *)((char *)m + events_offset()) + (size_t)ring * RING_EVENTS;
}

/* A page fault for each 128 events would cost more than they do. */
static __attribute__((noinline)) void touch_ring(struct slot *ring)
{
	enum { POPULATE_WRITE = 23 };	/* MADV_POPULATE_WRITE, from Linux 5.14 on */

	arch_syscall3(SYS_madvise, (long)ring, RING_EVENTS * (long)sizeof(*ring), POPULATE_WRITE);
}

static void put(struct upcall_trace *m, unsigned ring, uint64_t ticks, struct trace_words w, uint64_t object)
{
	uint64_t *head = &m->rings[ring].head, at = *head;
	struct slot *slots = ring_of(m, ring), *slot = &slots[at % RING_EVENTS];

	if (unlikely(at == 0))
		touch_ring(slots);
	slot->word[0] = ticks;
	slot->word[1] = w.head;
	slot->word[2] = w.pair;
	slot->word[3] = object;
	__atomic_store_n(head, at + 1, __ATOMIC_RELEASE);
	/* The reader has these lines in its cache: ask for them early. */
	__builtin_prefetch(&slots[(at + 16) % RING_EVENTS], 1);
}

static __attribute__((noinline)) void probe(uint64_t ticks, struct trace_words w, uint64_t object)
{
	struct slot s = { { ticks, w.head, w.pair, object } };
	struct upcall_trace_event e;

	memcpy(&e, &s, sizeof(e));
	trace_probe(&e);
}

static __attribute__((noinline)) void put_shared(struct upcall_trace *m, uint64_t ticks, struct trace_words w,
						 uint64_t object)
{
	lock_take(&shared_lock);
	put(m, 0, ticks, w, object);
	lock_drop(&shared_lock);
}

void trace_put(uint64_t ticks, struct trace_words w, uint64_t object)
{
	struct upcall_trace *m = load_acquire(&trace_memory);
	unsigned ring = (uint16_t)(w.head >> 16) + 1u;

	if (unlikely(__atomic_load_n(&trace_switches.of[0], __ATOMIC_RELAXED)))
		probe(ticks, w, object);
	if (!__atomic_load_n(&trace_switches.of[1], __ATOMIC_RELAXED))
		return;
	if (unlikely(!m) && !(m = make_memory())) {
		set_rings(false);
		return;
	}
	if (unlikely(ticks > __atomic_load_n(&m->until_ticks, __ATOMIC_RELAXED)))
		set_rings(false);
	else if (likely(ring < nrings))
		put(m, ring, ticks, w, object);
	else
		put_shared(m, ticks, w, object);
}

void trace_name(uint32_t thread, const char name[16])
{
	struct trace_words w = trace_words(UPCALL_TRACE_NAME, 0, UPCALL_TRACE_NO_VPROC, thread, 0, 0);
	uint64_t rest;

	memcpy(&w.pair, name, 8);
	memcpy(&rest, name + 8, 8);
	trace_put(arch_ticks(), w, rest);
}

void trace_configure(void)
{
	const char *path = getenv("UPCALL_TRACE");

	if (!path || !*path)
		return;
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	long bytes = arch_syscall3(SYS_lseek, fd, 0, SEEK_END);
	long map = bytes < PAGE ? -1 : arch_syscall6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	arch_syscall1(SYS_close, fd);
	if (map < 0 && map > -PAGE)
		return;
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
	set_rings(true);
}

/* What there is belongs to the parent. */
void trace_fork_child(void)
{
	set_rings(false);
	memset(&shared_lock, 0, sizeof(shared_lock));
	store_relaxed(&trace_memory, NULL);
}

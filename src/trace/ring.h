// SPDX-License-Identifier: BSD-2-Clause
/*
 * The event rings of `upcall trace`; what is in them: include/upcall/trace.h.
 *
 * Off, a trace point costs one load and a branch that is never taken: of trace_switches, which is
 * zero.  Its halves are what two kinds of readers set: `probes` counts who watches a probe of
 * <sys/sdt.h> (the tracer or the kernel adds to it, in our memory), `rings` is set by `upcall trace`,
 * in our memory too, or when UPCALL_TRACE names a file that it made: to another number each time.
 *
 * A vproc's ring has one writer at a time, its owner inside the runtime; the ring of those who own
 * none is locked.  The memory is made by whoever has the first event.  When the reader has not been
 * heard of for a while (until_ticks), the rings are off again.
 */
#ifndef UPCALL_TRACE_RING_H
#define UPCALL_TRACE_RING_H

#include <upcall/trace.h>

#include "../arch/arch.h"
#include "../base/atomic.h"

#pragma GCC visibility push(hidden)

extern union trace_switches {
	struct au32 any;
	uint16_t of[2];		/* probes, rings */
} trace_switches;
struct trace_memory { _Atomic(struct upcall_trace *) v; };
extern struct trace_memory trace_memory;
extern struct au64 trace_until_ticks;	/* until_ticks for memory that is yet to be made */

static inline bool trace_is_on(void)
{
	return unlikely(load_relaxed(&trace_switches.any) != 0);	/* relaxed: an event more or less */
}

static inline bool trace_is_probed(void)
{
	return unlikely(__atomic_load_n(&trace_switches.of[0], __ATOMIC_RELAXED) != 0);
}

/* A ring's end where its writer is: on a line of its own, with what the records leave out. */
struct trace_pen {
	struct upcall_trace_record *records;
	uint64_t *head;		/* what the reader sees */
	uint64_t said_ticks, said_head;	/* when and where time and thread were last said */
	uint32_t thread;	/* who runs, as far as the records say */
	uint32_t session;	/* they are of this value of trace_switches.of[1], and 1 more; 0: of none */
} __attribute__((aligned(64)));

enum { TRACE_RECORDS = 1 << 17, TRACE_SAID_TICKS = 1 << 30 };

extern struct trace_pen trace_pens[UPCALL_TRACE_RINGS];
extern unsigned trace_nvprocs;		/* that have rings */

/* The pen of a vproc, by its owner inside the runtime, or NULL: nobody reads. */
struct trace_pen *trace_pen_slow(unsigned ring, uint64_t ticks);
/* A record without a vproc. */
void trace_shared(uint64_t ticks, uint32_t by, uint32_t thread, uint64_t rest);
void trace_probe(const struct upcall_trace_event *e);
void trace_name(uint32_t thread, const char name[16]);
/* At load: UPCALL_TRACE. */
void trace_configure(void);
/* When threads start: how many vprocs there can be. */
void trace_start(unsigned nvprocs);
void trace_fork_child(void);

#pragma GCC visibility pop

#define TRACE_ANYBODY UINT32_MAX

static inline uint64_t trace_rest(enum upcall_trace_kind kind, unsigned detail, uint64_t object)
{
	return kind | (uint64_t)(uint8_t)detail << 8 | object << 16;
}

static inline void trace_put(struct trace_pen *p, uint64_t ticks, uint32_t thread, uint64_t rest)
{
	uint64_t at = *p->head;
	struct upcall_trace_record *r = &p->records[at % TRACE_RECORDS];

	r->ticks = (uint32_t)ticks;
	r->thread = thread;
	r->rest = rest;
	__atomic_store_n(p->head, at + 1, __ATOMIC_RELEASE);
	/* The reader has these lines in its cache: ask for them early. */
	__builtin_prefetch(&p->records[(at + 32) % TRACE_RECORDS], 1);
}

/* What thread `by` did (TRACE_ANYBODY: it does not matter), by the writer of this ring. */
static inline void trace_record_by(unsigned ring, uint64_t ticks, uint32_t by, uint32_t thread, uint64_t rest)
{
	struct trace_pen *p = &trace_pens[ring];

	if (unlikely(p->session != __atomic_load_n(&trace_switches.of[1], __ATOMIC_RELAXED) + 1u ||
		     *p->head - p->said_head >= UPCALL_TRACE_SAID - 3 ||
		     ticks - p->said_ticks >= TRACE_SAID_TICKS)) {
		p = trace_pen_slow(ring, ticks);
		if (!p)
			return;
	}
	if (unlikely(p->thread != by) && by != TRACE_ANYBODY) {
		p->thread = by;
		trace_put(p, ticks, by, UPCALL_TRACE_THREAD);
	}
	trace_put(p, ticks, thread, rest);
	if ((uint8_t)rest == UPCALL_TRACE_SWITCH)
		p->thread = thread;
}

static inline void trace_record(unsigned vproc, uint64_t ticks, uint32_t by, uint32_t thread, uint64_t rest)
{
	if (likely(vproc < trace_nvprocs))
		trace_record_by(vproc + 1, ticks, by, thread, rest);
	else
		trace_shared(ticks, by, thread, rest);
}

#endif

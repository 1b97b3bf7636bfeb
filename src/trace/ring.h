// SPDX-License-Identifier: BSD-2-Clause
/*
 * The event rings of `upcall trace`; what is in them: include/upcall/trace.h.
 *
 * Off, a trace point costs one load and a branch that is never taken: of trace_switches, which is
 * zero.  Its halves are what two kinds of readers set: `probes` counts who watches a probe of
 * <sys/sdt.h> (the tracer or the kernel adds to it, in our memory), `rings` is set by `upcall trace`,
 * in our memory too, or when UPCALL_TRACE names a file that it made.
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

/*
 * An event as it is passed: in four words, which are stored as they are.  (Copied as a structure that
 * was just filled field by field, it would wait for these stores.)
 */
struct trace_words {
	uint64_t head, pair;
};

static inline struct trace_words trace_words(enum upcall_trace_kind kind, unsigned reason, unsigned vproc,
					     uint32_t thread, uint32_t other, uint32_t number)
{
	return (struct trace_words){ kind | reason << 8 | vproc << 16 | (uint64_t)thread << 32,
				     other | (uint64_t)number << 32 };
}

/* Inside the runtime; by the owner of the vproc, or with UPCALL_TRACE_NO_VPROC. */
void trace_put(uint64_t ticks, struct trace_words w, uint64_t object);
void trace_probe(const struct upcall_trace_event *e);
void trace_name(uint32_t thread, const char name[16]);
/* At load: UPCALL_TRACE. */
void trace_configure(void);
/* When threads start: how many vprocs there can be. */
void trace_start(unsigned nvprocs);
void trace_fork_child(void);

#pragma GCC visibility pop

#endif

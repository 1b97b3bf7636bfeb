// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recording: the rings of a process, read before they are overwritten.
 *
 * A program that is started gets its rings in a file of ours (UPCALL_TRACE), which outlives it, so
 * that not even the last events before its end are missed.  A process that runs already makes its
 * rings itself when our write to its memory switches them on; they are read as all its memory is.
 *
 * In which call a kernel thread blocks is asked of /proc while it does: calls shorter than the time
 * between two looks stay unnamed.
 */
#ifndef UPCALL_TRACE_RECORD_H
#define UPCALL_TRACE_RECORD_H

#include <upcall/trace.h>

#include "../look/look.h"

enum { KIND_GAP = UPCALL_TRACE_KINDS };	/* of ours: `object` records of this ring are lost */

/* As they were in the ring; unpack.c makes events of them. */
struct records {
	struct upcall_trace_record *all;
	size_t n, room;
};

/* A kernel thread was seen in a call. */
struct seen_call {
	uint64_t ticks;
	uint32_t thread;
	const char *name;
};

struct recording {
	struct target target;		/* for symbols; the process may be gone */
	struct snapshot first, last;	/* threads at the beginning; at the end, if it lives */
	bool has_last;
	struct records rings[UPCALL_TRACE_RINGS];
	unsigned nrings;
	struct seen_call *calls;
	size_t ncalls, calls_room;
	uint64_t events, lost;
	uint64_t begin_ticks, end_ticks;	/* of what is recorded */
	double ns_per_tick;
	const char *waits[256];		/* kinds of waits, by number */
	uint64_t slot_pages[4096];	/* where the process keeps what it knows of descriptors */
};

struct record_options {
	double seconds;			/* 0: until it ends, or SIGINT or SIGTERM */
	uint64_t events_max;
};

/* All of r, or the end with one line. */
void record_process(struct recording *r, pid_t pid, const struct record_options *o);
/*
 * Starts it by `upcall run`; false when nothing started threads.  The program may go on afterwards:
 * record_status waits for its end, and returns its exit status as a shell would give it.
 */
bool record_program(struct recording *r, char **argv, const struct record_options *o);
int record_status(void);
void record_free(struct recording *r);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a trace says: who was in which state from when to when.  It is made of a recording (build.c)
 * or of a file that an earlier one was written to (load.c); pictures, files and sums are made of it.
 */
#ifndef UPCALL_TRACE_MODEL_H
#define UPCALL_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum span_state { SPAN_RUNNING, SPAN_READY, SPAN_PARKED, SPAN_KERNEL, SPAN_IDLE, SPAN_STATES };
extern const char *const span_state_names[SPAN_STATES];

/* A thread in a state, or a vproc that runs nothing. */
struct span {
	uint64_t begin_ns, end_ns;	/* since the trace began */
	uint64_t object;		/* parked: what it waits for, 0 if nothing that has an address */
	/*
	 * running: why it ended ("park", "preempt", ...); ready: why it began ("woken", "created", ...);
	 * parked: on what kind of thing; kernel: in which call; idle: the cause.  Interned; perhaps "".
	 */
	const char *what;
	const char *symbol;		/* of the object; for I/O "fd 5 read"; "" */
	uint32_t thread;		/* its number, 0: a vproc's idle time */
	uint32_t by;			/* ready: the thread that made it so, or 0 */
	int16_t vproc;			/* running, idle: where; -1: on a kernel thread of its own */
	int16_t by_vproc;		/* ready: where that happened, or -1 */
	uint8_t state;			/* enum span_state */
};

/* What has no length: a steal, an upcall. */
struct moment {
	uint64_t ns, number;
	const char *what;
	uint32_t thread;
	int16_t vproc;			/* -1: of no vproc */
};

struct traced_thread {
	uint32_t id;
	const char *label;		/* its name, or the function that it began with */
};

struct trace {
	char command[32];
	int pid;
	unsigned nvprocs;
	uint64_t length_ns, events, lost;
	struct span *spans;		/* by begin */
	size_t nspans, spans_room;
	struct moment *moments;
	size_t nmoments, moments_room;
	struct traced_thread *threads;	/* by id */
	size_t nthreads, threads_room;
};

/* The one copy of this text, kept for good. */
const char *intern(const char *text);
void trace_add_span(struct trace *t, const struct span *s);
void trace_add_moment(struct trace *t, const struct moment *m);
void trace_add_thread(struct trace *t, uint32_t id, const char *label);
/* Sorts, once all is there. */
void trace_finish(struct trace *t);
const char *trace_label(const struct trace *t, uint32_t thread);
void trace_free(struct trace *t);

/* "idle" causes: there is no ready thread, and the vproc ... */
#define IDLE_LOOKING "looking"		/* looks for one */
#define IDLE_ASLEEP "asleep"		/* sleeps */
#define IDLE_POLLING "polling"		/* waits for descriptors and timers */
#define IDLE_CALL "in a call"		/* waits for its thread's system call */

struct recording;
/* Of the raw events, which it sorts. */
void trace_build(struct trace *t, struct recording *r);
/* Each ends the program with one line when it cannot. */
void trace_write(const struct trace *t, const char *path);
void trace_load(struct trace *t, const char *path);
void trace_draw(const struct trace *t, const char *path);
void trace_summarise(const struct trace *t, bool as_json);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a traced process writes for `upcall trace`: rings of events, one for each vproc and one for
 * all who own no vproc, in memory that both can see.
 *
 * The writer never waits: it overwrites the oldest record.  `head` counts the records ever written to
 * a ring, so a reader that looks at it before and after it copies knows which of its copies are whole
 * and how many records it missed:
 *
 *	h = head (acquire); copy records [mine, h); h = head; those before h - ring_records + 1 are lost
 *
 * A record is 16 bytes, because what recording costs is, after the reading of the clock, the memory that
 * it walks through.  So it leaves out what the records before it tell: the upper half of the time, and
 * who ran.  Both are said again (UPCALL_TRACE_TIME, then UPCALL_TRACE_THREAD) when the rings are
 * switched on, after UPCALL_TRACE_SAID records, and before a record that comes 2^30 ticks or more
 * after they were last; who missed records goes on there.
 *
 * Records of a ring are in the order in which they happened; between rings `ticks` orders them, the
 * processor's time-stamp counter.
 */
#ifndef UPCALL_TRACE_H
#define UPCALL_TRACE_H

#include <stdint.h>

#define UPCALL_TRACE_MAGIC UINT64_C(0x65636172742d7075)	/* "up-trace" in memory */
#define UPCALL_TRACE_VERSION 2
#define UPCALL_TRACE_RINGS 257
#define UPCALL_TRACE_NO_VPROC 0xffff
#define UPCALL_TRACE_SAID 1024

enum upcall_trace_kind {
	UPCALL_TRACE_SWITCH = 1, /* vproc runs `other` (0: nothing) after `thread` (0), which left for `reason`;
				    parked: number is its kind of wait, object what it waits on.
				    Without a vproc: a thread begins or ends to carry itself */
	UPCALL_TRACE_WAKE,	/* `thread` (0: nobody) made `other` ready, which waited (reason: kind) on object;
				   number: how the wait ended */
	UPCALL_TRACE_PARK,	/* `thread`, bound to a kernel thread, waits (reason: kind) on object */
	UPCALL_TRACE_RUN,	/* it goes on */
	UPCALL_TRACE_CREATE,	/* `thread` made `other`, whose function is object */
	UPCALL_TRACE_NAME,	/* `thread` is called: 16 bytes from `other` on */
	UPCALL_TRACE_STEAL,	/* vproc took `thread`, and perhaps more, from vproc `number` */
	UPCALL_TRACE_ADDED,	/* upcall: vproc `object`, which had none, got kernel thread `number` */
	UPCALL_TRACE_BLOCKED,	/* upcall: kernel thread `number` blocked with `thread`; vproc has another */
	UPCALL_TRACE_UNBLOCKED,	/* upcall: kernel thread `number` finds that out; `thread` waits its turn */
	UPCALL_TRACE_PREEMPTED,	/* upcall: other processes had the processor of vproc `object`, kernel thread
				   `number`, which ran `thread`, reason times (255: or more) since it was last told */
	UPCALL_TRACE_CALL,	/* `thread` makes a system call on kernel thread `number`; vproc is free */
	UPCALL_TRACE_RETURN,	/* that is over */
	UPCALL_TRACE_SLEEP,	/* vproc sleeps (reason 1: in the poller) until object (ns; -1: no end) */
	UPCALL_TRACE_AWAKE,	/* it woke */
	UPCALL_TRACE_POLL,	/* a look at descriptors woke `number` threads */
	UPCALL_TRACE_TIME,	/* only in rings: the upper half of ticks is object */
	UPCALL_TRACE_THREAD,	/* only in rings: what follows, until a switch, is done by `thread` */
	UPCALL_TRACE_KINDS,
};

/* Why a thread left its vproc (UPCALL_TRACE_SWITCH). */
enum upcall_trace_left {
	UPCALL_LEFT_IDLE,	/* it was none */
	UPCALL_LEFT_PARK,
	UPCALL_LEFT_YIELD,
	UPCALL_LEFT_PREEMPT,
	UPCALL_LEFT_LOST,	/* after a block, because the vproc has another kernel thread */
	UPCALL_LEFT_BIND,	/* it gets a kernel thread of its own */
	UPCALL_LEFT_EXIT,
	UPCALL_LEFT_SPAWN,	/* the thread that it made runs first */
};

/* What happened, in full: what probes are given, and what a reader makes of a record. */
struct upcall_trace_event {
	uint64_t ticks;
	uint8_t kind;		/* enum upcall_trace_kind */
	uint8_t reason;
	uint16_t vproc;		/* or UPCALL_TRACE_NO_VPROC */
	uint32_t thread;	/* the number that `upcall ps` shows */
	uint32_t other;
	uint32_t number;
	uint64_t object;
};

/*
 * Of it in a record: the kind (bits 0 to 7 of rest), a detail (8 to 15), the object (16 to 63), and
 *
 *	SWITCH		thread: `other`; detail: reason | number << 3
 *	WAKE		thread: `other`; detail: number | reason << 3
 *	PARK		detail: reason
 *	CREATE		thread: `other`
 *	NAME		object: six bytes of the name, detail: from which on
 *	SLEEP		detail: reason; no object
 *	PREEMPTED	detail: reason; object: number | vproc << 32
 *	ADDED		object: number | vproc << 32
 *	others		object: number
 */
struct upcall_trace_record {
	uint32_t ticks;		/* lower half */
	uint32_t thread;
	uint64_t rest;
};

struct upcall_trace_ring {
	uint64_t head;
	uint64_t padding[15];
};

struct upcall_trace {
	uint64_t magic;		/* written last */
	uint32_t version;	/* a reader that makes the memory writes this first */
	uint32_t record_bytes;
	uint32_t nrings;	/* ring 0 is everybody's, ring i + 1 that of vproc i */
	uint32_t ring_records;	/* a power of two */
	uint64_t records_offset; /* from here to ring 0's records; ring 1's follow */
	uint64_t until_ticks;	/* the reader sets it ahead again and again: later nobody reads any more */
	int32_t pid;		/* whose events these are; 0: of nobody yet */
	uint32_t is_read;	/* the reader has seen that: the process may go on */
	uint32_t refused;	/* processes that found it taken */
	uint32_t padding[17];
	struct upcall_trace_ring rings[UPCALL_TRACE_RINGS];
};

#endif

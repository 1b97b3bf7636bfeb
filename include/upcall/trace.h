/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a traced process writes for `upcall trace`: rings of events, one for each vproc and one for
 * all who own no vproc, in memory that both can see.
 *
 * The writer never waits: it overwrites the oldest event.  `head` counts the events ever written to
 * a ring, so a reader that looks at it before and after it copies knows which of its copies are whole
 * and how many events it missed:
 *
 *	h = head (acquire); copy events [mine, h); h = head; those before h - ring_events + 1 are lost
 *
 * Events of a ring are in the order in which they happened; between rings `ticks` orders them, the
 * processor's time-stamp counter.
 */
#ifndef UPCALL_TRACE_H
#define UPCALL_TRACE_H

#include <stdint.h>

#define UPCALL_TRACE_MAGIC UINT64_C(0x65636172742d7075)	/* "up-trace" in memory */
#define UPCALL_TRACE_VERSION 1
#define UPCALL_TRACE_RINGS 257
#define UPCALL_TRACE_NO_VPROC 0xffff

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

struct upcall_trace_ring {
	uint64_t head;
	uint64_t padding[15];
};

struct upcall_trace {
	uint64_t magic;		/* written last */
	uint32_t version;
	uint32_t event_bytes;
	uint32_t nrings;	/* ring 0 is everybody's, ring i + 1 that of vproc i */
	uint32_t ring_events;	/* a power of two */
	uint64_t events_offset;	/* from here to ring 0's events; ring 1's follow */
	uint64_t until_ticks;	/* the reader sets it ahead again and again: later nobody reads any more */
	int32_t pid;		/* whose events these are; 0: of nobody yet */
	uint32_t is_read;	/* the reader has seen that: the process may go on */
	uint32_t refused;	/* processes that found it taken */
	uint32_t padding[17];
	struct upcall_trace_ring rings[UPCALL_TRACE_RINGS];
};

#endif

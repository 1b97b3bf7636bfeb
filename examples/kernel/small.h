// SPDX-License-Identifier: BSD-2-Clause
/*
 * A second, small threads system on Upcall's kernel half: <upcall/kernel.h> and perf events are all it
 * shares with the first.  Nothing here is preempted; a thread runs until it yields, waits, ends, or
 * blocks in the kernel, and then the next one runs on the same processor.
 */
#ifndef SMALL_H
#define SMALL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <upcall/kernel.h>

enum { SMALL_VPROCS = 4, SMALL_LATE_NS = 10000000 };

/* package.c.  A count of waiting threads is all there is to wait for. */
/* Source: auto, sched_ext, bpf or perf; returns which it is, NULL if it is not to be had. */
const char *small_start(unsigned nvprocs, const char *source);
void small_spawn(void (*fn)(void *), void *arg);
void small_yield(void);
void small_run(void);		/* returns when all threads have ended */
extern unsigned small_vprocs;
extern atomic_ulong small_blocks;	/* how often a spare took a vproc over */
extern atomic_int small_running;	/* threads that run on vprocs now: never more than there are */
/* How often a thread that had blocked, and so lost its vproc, computed for longer than SMALL_LATE_NS beside it. */
extern atomic_ulong small_late;

/* source.c.  Returns the name of the source that is used, or NULL. */
const char *source_open(const char *wanted);
/* On the activation itself, which is pinned; `number` names it from then on, and source_owner has said of which vproc it is. */
bool source_attach(unsigned number);
bool source_is_blocked(unsigned number);
/* Who is to run a vproc, and who when that one blocks; before they run. */
void source_owner(unsigned vproc, unsigned owner, unsigned spare);
bool source_has_visitors(unsigned vproc);
unsigned source_overlaps(void);

#endif

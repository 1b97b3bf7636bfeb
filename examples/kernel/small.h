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

enum { SMALL_VPROCS = 4 };

/* package.c.  A count of waiting threads is all there is to wait for. */
/* Source: auto, sched_ext, bpf or perf; returns which it is, NULL if it is not to be had. */
const char *small_start(unsigned nvprocs, const char *source);
void small_spawn(void (*fn)(void *), void *arg);
void small_yield(void);
void small_run(void);		/* returns when all threads have ended */
extern unsigned small_vprocs;
extern atomic_ulong small_blocks;	/* how often a spare took a vproc over */
extern atomic_int small_running;	/* threads inside a vproc's turn now: never more than vprocs */

/* source.c.  Returns the name of the source that is used, or NULL. */
const char *source_open(const char *wanted);
/* On the activation itself; `number` names it from then on.  It belongs to a vproc, which source_owner may change. */
bool source_attach(unsigned number, unsigned vproc);
bool source_is_blocked(unsigned number);
/* Who is to run a vproc, and who when that one blocks. */
void source_owner(unsigned vproc, unsigned owner, unsigned spare);
bool source_has_visitors(unsigned vproc);
unsigned source_overlaps(void);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sources: who tells that an activation is blocked in the kernel.
 *
 *   sched_ext  as bpf, and upcalld's scheduler holds spares and woken activations       scx.c
 *   bpf    programs that upcalld loaded write a line of memory for each activation     bpf.c
 *   perf   context-switch records of the kernel, no privilege needed                   perf.c
 *   look   nobody tells: /proc/self/task/TID/syscall, when its CPU time stands still   look.c
 *
 * All are tried at the start, best first, and each activation takes the best that it can get: so one
 * that finds a table full or its rings refused does with the next; and perf's events are not opened at once
 * (source_events_due_ns).  The hot question is one call
 * through `a->source` and a few loads; it is asked once for each sched_yield of a watching spare.
 *
 * A source may go away while the program runs (upcalld ends) and come back.  When it goes, the monitor
 * moves its activations to what is left.  When it comes, each activation moves itself, for nobody else
 * can register it: the next time that it looks for work, is armed or gets our signal (source_refresh).
 * Memory that a source has once read stays mapped, so that a reader who is late reads old news and no
 * more.
 */
#ifndef UPCALL_UPCALL_SOURCE_H
#define UPCALL_UPCALL_SOURCE_H

#include "../sched/vproc.h"

struct source {
	const char *name;
	const char *switch_name;	/* in UPCALL_DISABLE */
	/* 0 if activations may try to attach, or -errno: -EAGAIN when there was no answer for so long. */
	int (*start)(unsigned patience_ms);
	/* 0 or -errno.  From the activation itself; is_self is false where the monitor or the clerk does it. */
	int (*attach)(struct activation *a, bool is_self);
	void (*detach)(struct activation *a);	/* a reader may still be looking */
	bool (*is_blocked)(struct activation *a);
	bool (*is_running)(struct activation *a);	/* by the monitor; NULL: whoever is not blocked is running */
	uint64_t (*in_since)(struct activation *a);	/* when it was switched in last, 0: unknown */
	uint64_t (*blocked_since)(struct activation *a);	/* 0: it is not blocked; NULL: unknown */
	unsigned bound_slices, bound_ns;	/* so long may an activation run beside its replacement: the sum of both */
	/*
	 * By the monitor: how often a has lost its processor to other processes since it was asked last,
	 * though it wanted to run.  NULL: it is not told.
	 */
	unsigned (*preemptions)(struct activation *a);
	/* By the monitor, each tick: does the source still tell?  NULL: it always does. */
	bool (*is_alive)(void);
	void (*fork_child)(void);	/* NULL: it has nothing but what activations have */
};

#pragma GCC visibility push(hidden)
extern const struct source source_scx, source_bpf, source_perf, source_look;
bool look_is_blocked(struct activation *a);
bool clerk_is_there(void);
enum errand { ERRAND_ATTACH = 1, ERRAND_LOOK = 2, ERRAND_ALARM = 4, ERRAND_END_ALARM = 8 };
/* open its events; is it blocked?; set its alarm; none more for this kernel thread */
void clerk_ask(struct activation *a, enum errand errand);
/* The clerk; asked by alarm_ask, and by alarm_end. */
void alarm_set(struct activation *a);
void alarm_unset(struct activation *a);
void source_attach_for(struct activation *a);	/* the clerk, for another */
/*
 * The clerk opens none before.  The first event of the whole machine has the kernel change its code, and wait for all
 * processors: 6 to 40 ms, for which a program that ends meanwhile would wait.  So short ones have none; but where perf is
 * asked for by name.
 */
uint64_t source_events_due_ns(void);
void source_warm_up(void);		/* the clerk, holding no lock, before its first */
void perf_warm_up(void);
/* The page that bpf and sched_ext share; *ret_control_fd is to be closed.  It is bpf's until it is kept. */
struct abi_slot;
int bpf_start_with_scheduler(unsigned patience_ms, int *ret_control_fd, const struct abi_slot **ret_page);
void bpf_keep_for_scheduler(void);
const struct abi_slot *bpf_page(void);
unsigned bpf_preemptions(struct activation *a);
#pragma GCC visibility pop

#endif

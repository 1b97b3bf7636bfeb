// SPDX-License-Identifier: BSD-2-Clause
/*
 * sched_ext: as bpf, and upcalld's scheduler decides which activation of a vproc runs (bpf/scx.bpf.c
 * says how).  What the runtime does about it is little:
 *
 *  - An activation puts itself into the scheduler's class when it is registered, and leaves it when it
 *    becomes a thread's own, or when the process executes another program.
 *  - Who owns a vproc, and who is its spare, is written to the control page whenever that changes.  An
 *    armed spare yields in a loop as ever, but is held in the kernel until its owner blocks.
 *  - An activation that wakes up and is not the owner is held too, and counted in `visitors`.  The owner
 *    yields when it looks for the next thread and there is one: the visitor runs as far as to its next
 *    look at `owner`, queues its thread and goes to bed.
 *
 *  - The kernel half reads for itself whether the thread that an activation runs is inside the runtime, or in
 *    a section that is not to be preempted: it looks where the runtime keeps that.  A turn of the vproc's then
 *    ends a tick later, or where the thread sees that it owes, at the section's end.
 *
 * All activations of a vproc are pinned to its CPU, so that they are held where it runs: a vproc does
 * not look for a better one.
 *
 * When the kernel ends the scheduler, the activations are ordinary kernel threads and all of this means
 * nothing: what is left is the source bpf.
 * Order:
 *   scx.tell  who makes an activation owner or spare: write that, look whether it has a slot; the activation
 *             that is registered: take a slot, look whether it is owner or spare
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <upcall/reports.h>

#include "../bpf/abi.h"
#include "events.h"
#include "source.h"

#ifndef SCHED_EXT
#define SCHED_EXT 7
#endif

const uint32_t scx_nothing;
const uint64_t scx_never;

/* So long before its turn ends a vproc would like to know. */
_Static_assert((int)UPCALL_REPORT_WARN_MAX_US == (int)ABI_WARN_MAX_US, "what is promised");

static APTR(struct abi_control) control;

/* What the kernel half says of each vproc; NULL: it says nothing. */
static void set_words(const struct abi_slot *page)
{
	for (unsigned i = 0; sched.vprocs && i < vprocs_made() && i < ABI_VPROCS; i++) {
		const struct abi_vproc *told = page ? (const struct abi_vproc *)(page + ABI_FIRST_VPROC + i) : NULL;
		struct vproc *vp = &sched.vprocs[i];

		__atomic_store_n(&vp->visitors, told ? &told->visitors : &scx_nothing, __ATOMIC_RELEASE);
		__atomic_store_n(&vp->owes, told ? &told->owes : &scx_nothing, __ATOMIC_RELEASE);
		__atomic_store_n(&vp->warned_ns, told ? (const volatile uint64_t *)&told->warn_ns : &scx_never, __ATOMIC_RELEASE);
		__atomic_store_n(&vp->warnings, told ? &told->nwarnings : &scx_nothing, __ATOMIC_RELEASE);
	}
}

static void be_held(bool is_so)
{
	sched.keeps_cpus = is_so;
	sched_set_special(SPECIAL_HELD, is_so);
}

static int start(unsigned patience_ms)
{
	const struct abi_slot *page;
	int fd, err = bpf_start_with_scheduler(patience_ms, &fd, &page);

	if (err)
		return err;
	struct abi_control *before = load_relaxed(&control);
	long map = sys_map_file(before, sizeof(struct abi_control), PROT_READ | PROT_WRITE, fd);

	arch_syscall1(SYS_close, fd);
	if (map < 0 && map > -4096)
		return (int)map;
	bpf_keep_for_scheduler();
	arch_syscall3(SYS_madvise, map, sizeof(struct abi_control), MADV_DONTFORK);
	store_release(&control, (struct abi_control *)map);
	struct abi_control *c = load_relaxed(&control);

	c->critical_offset[0] = offsetof(struct thread, in_rt);
	c->critical_offset[1] = offsetof(struct thread, nopreempt);
	cpus_assign(0);		/* where they are now they stay */
	be_held(true);
	return 0;
}

static int set_class(int tid, int policy)
{
	struct sched_param none = { 0 };

	if (!strange_begin())
		return -EPERM;
	int err = (int)arch_syscall3(SYS_sched_setscheduler, tid, policy, (long)&none);

	strange_end();
	return err;
}

bool scx_schedules(struct activation *a)
{
	return load_relaxed(&a->source) == &source_scx;
}

static void tell(volatile uint32_t *word, struct vproc *vp, struct activation *a)
{
	fence_seq_cst();		/* pairs: scx.tell */
	uint32_t slot = a->slot_number;

	if (!slot)
		return;			/* not registered yet: it tells itself */
	if (slot >= ABI_FIRST_VPROC) {
		*word = 0;		/* there was no place left for it */
		return;
	}
	load_relaxed(&control)->vproc_of[slot] = (uint8_t)vp->id;
	*word = slot + 1;
}

void scx_tell_owner(struct vproc *vp, struct activation *a)
{
	struct abi_control *c = load_acquire(&control);

	if (c && vp->id < ABI_VPROCS)
		tell(&c->vproc[vp->id].owner, vp, a);
}

void scx_tell_spare(struct vproc *vp, struct activation *a)
{
	struct abi_control *c = load_acquire(&control);

	if (c && vp->id < ABI_VPROCS)
		tell(&c->vproc[vp->id].spare, vp, a);
}

/* For a while, or for ever. */
void scx_leave(struct activation *a)
{
	if (scx_schedules(a))
		set_class(a->tid, SCHED_OTHER);
}

void scx_return(struct activation *a)
{
	if (scx_schedules(a))
		set_class(a->tid, SCHED_EXT | SCHED_RESET_ON_FORK);
}

static int attach(struct activation *a, bool is_self)
{
	struct vproc *vp = a->vproc;
	int err = vp->id < ABI_VPROCS ? source_bpf.attach(a, is_self) : -ENOSPC;

	if (err)
		return err;
	activation_pin(a, vp->cpu);
	load_relaxed(&control)->critical_at[a->slot_number] = (uintptr_t)&a->thread;
	load_relaxed(&control)->vproc[vp->id].warn_us = load_seq_cst(&events_warn_us);
	load_relaxed(&control)->vproc_of[a->slot_number] = (uint8_t)vp->id;
	fence_seq_cst();		/* pairs: scx.tell */
	if (is_owner(a))
		scx_tell_owner(vp, a);
	else if (load_relaxed(&vp->spare) == a)
		scx_tell_spare(vp, a);
	set_words(bpf_page());
	return set_class(a->tid, SCHED_EXT | SCHED_RESET_ON_FORK);
}

static void detach(struct activation *a)
{
	set_class(a->tid, SCHED_OTHER);
	source_bpf.detach(a);
}

static bool is_blocked(struct activation *a)
{
	return source_bpf.is_blocked(a);
}

static uint64_t in_since(struct activation *a)
{
	return source_bpf.in_since(a);
}

__attribute__((visibility("default")))
int upcall_reports_warn(uint32_t us)
{
	if (us > UPCALL_REPORT_WARN_MAX_US)
		return -EINVAL;
	uint32_t before = xchg_seq_cst(&events_warn_us, us);
	struct abi_control *c = load_acquire(&control);

	/* Those that are registered later take it from there; two callers at once may leave either's behind. */
	for (unsigned i = 0; c && sched.vprocs && i < vprocs_made() && i < ABI_VPROCS; i++)
		c->vproc[i].warn_us = us;
	return (int)before;
}

static bool is_alive(void)
{
	if (source_bpf.is_alive())
		return true;
	set_words(NULL);
	be_held(false);
	return false;
}

static void fork_child(void)
{
	if (!load_relaxed(&control))
		return;
	store_relaxed(&control, NULL);		/* the mapping was not copied */
	be_held(false);
	set_words(NULL);
}

const struct source source_scx = {
	.name = "sched_ext", .switch_name = "scx", .start = start, .attach = attach, .detach = detach,
	.is_blocked = is_blocked, .in_since = in_since, .preemptions = bpf_preemptions, .is_alive = is_alive, .fork_child = fork_child,
};

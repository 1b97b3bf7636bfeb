// SPDX-License-Identifier: BSD-2-Clause
/*
 * Making a bare thread, which runs at once: the child first, its parent when the child waits or ends.
 *
 * So a child that ends soon costs two switches and nothing else: its parent is the newest of its
 * vproc's queue, descriptor and stack are the warm ones of the child before, and whoever joins finds
 * it gone.  A tree of threads is walked depth first, so that memory grows with its depth only; an
 * idle vproc takes the oldest parent, with the largest part of the tree that is left.
 *
 * Only bare threads are made so: what pthread_create makes must let its parent go on.
 */
#include "../base/child.h"
#include "vproc.h"

/*
 * With guard and descriptor an odd number of pages: a power of two apart, the pages that a thousand threads
 * touch would fall into a few sets of the TLB.
 */
enum { STANDARD_STACK = 60 * 1024 };

/* Bare threads that are made or have ended elsewhere than on a vproc; and libc's own (sched_count_libc). */
static struct au64 born_elsewhere, gone_elsewhere;
static struct au32 main_is_over;

struct thread *sched_create_bare(struct thread *me, size_t stack_bytes)
{
	struct vproc *vp = vproc_of(me);
	struct thread *t = likely(vp && !stack_bytes) ? warm_take_bare(vp) : NULL;

	if (likely(t != NULL)) {
		thread_renew_bare(t);
	} else {
		t = thread_create_bare(stack_bytes ? stack_bytes : STANDARD_STACK);
		if (!t)
			return NULL;
		t->is_standard = !stack_bytes;
	}
	if (vp)
		count_up(&vp->bare_born);
	else
		fetch_add(&born_elsewhere, 1);
	return t;
}

/* All that ended before those that were born: equal means that there was a moment without any. */
static bool none_lives(void)
{
	uint64_t gone = load_seq_cst(&gone_elsewhere), born;

	if (load_seq_cst(&threads.live))
		return false;
	for (unsigned i = 0; i < vprocs_made(); i++)
		gone += load_seq_cst(&sched.vprocs[i].bare_gone);
	born = load_seq_cst(&born_elsewhere);
	for (unsigned i = 0; i < vprocs_made(); i++)
		born += load_seq_cst(&sched.vprocs[i].bare_born);
	return born == gone;
}

void first_fork_child(void)
{
	warm_fork_child();
	zero_in_child(&born_elsewhere, sizeof(born_elsewhere));
	zero_in_child(&gone_elsewhere, sizeof(gone_elsewhere));
}

/* Who ends has counted itself. */
static bool is_last(void)
{
	compiler_barrier();
	if (likely(!load_relaxed(&main_is_over)))	/* relaxed: while main lives nobody is the last */
		return false;
	fence_seq_cst();
	return none_lives();
}

void sched_count_libc(void)
{
	fetch_add(&born_elsewhere, 1);
}

bool sched_count_out_libc(void)
{
	fetch_add(&gone_elsewhere, 1);
	return is_last();
}

static __attribute__((noinline)) bool count_out_full(struct thread *me)
{
	if (me == thread_main()) {
		store_seq_cst(&main_is_over, 1);
		if (sched_has_bare && strange_begin()) {	/* such a one counts itself and then looks, without a fence */
			sys_membarrier();
			strange_end();
		}
	}
	bool was_last = fetch_sub(&threads.live, 1) == 1;

	if (unlikely(load_seq_cst(&sched_counts_masks)))	/* pairs: mask.left */
		sched_hooks.left(me);
	return was_last && none_lives();
}

bool sched_count_out(struct thread *me)
{
	if (!me->is_bare)
		return count_out_full(me);
	if (likely(me->kind == THREAD_USER))
		count_up(&me->act->vproc->bare_gone);
	else
		fetch_add(&gone_elsewhere, 1);
	return is_last();
}

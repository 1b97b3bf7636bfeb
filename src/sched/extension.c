// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's time-slice extension (rseq, Linux 7.0): a section that is not to be preempted asks for it, and the kernel,
 * when another process is due, lets the kernel thread go on for 5 to 50 us, as its administrator says.  Who has been
 * granted that and is at the section's end gives the processor back at once; who is not loses it when the time is over.
 *
 * Both sides write to the kernel thread's area, which is its activation's.  A thread may come to another activation
 * between a look at which is its own and what it does there: that one asks for nothing then, once, or keeps one that
 * asks, and nobody is the worse for either.
 */
#include "../sys/probe.h"
#include "../thread/tls.h"
#include "vproc.h"

enum { SLICE_YIELD = 471 };		/* rseq_slice_yield(2) */
enum { UNREGISTER = 1 };		/* RSEQ_FLAG_UNREGISTER */

static long call_rseq(void *area, size_t bytes, int flags)
{
	return arch_syscall4(SYS_rseq, (long)area, (long)bytes, flags, ARCH_RSEQ_SIGNATURE);
}

/* A kernel thread has one area, and libc has taken it for main's, where it was not told to leave that (upcall run does). */
static void take_from_libc(void)
{
	char *area = tls_rseq(arch_tls());

	for (size_t bytes = 32; area && bytes <= 512 && call_rseq(area, bytes, UNREGISTER); bytes += 32)
		;
}

void extension_init(void)
{
	if (!sched.wants_extensions || !strange_begin())
		return;
	sched.may_extend = probe_rseq_slice() == 0;
	strange_end();
}

void extension_start(struct activation *a)
{
	if (likely(!sched.may_extend) || !strange_begin())
		return;
	if (a->is_main)
		take_from_libc();
	if (call_rseq(&a->rseq, sizeof(a->rseq), 0) == 0) {
		if (arch_syscall5(SYS_prctl, RSEQ_SLICE_PRCTL, RSEQ_SLICE_SET, RSEQ_SLICE_ENABLE, 0, 0) == 0)
			store_relaxed(&sched.extends, 1);
		else
			call_rseq(&a->rseq, sizeof(a->rseq), UNREGISTER);
	}
	strange_end();
}

/* The kernel thread that is the child has the area that the one which forked had. */
void extension_fork_child(const struct thread *me)
{
	if (load_relaxed(&sched.extends) && me->act && strange_begin()) {
		call_rseq(&me->act->rseq, sizeof(me->act->rseq), UNREGISTER);
		strange_end();
	}
	store_relaxed(&sched.extends, 0);
}

/* One that has been granted, to whoever ran here before, is to be given back first: the kernel minds a word that says both. */
void extension_ask(struct thread *me)
{
	const struct rseq_area asking = { .slice = { .request = 1 } };
	uint32_t nothing = 0;

	if (me->kind == THREAD_USER && me->nopreempt == 1)
		__atomic_compare_exchange_n(&me->act->rseq.slice_word, &nothing, asking.slice_word, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

void extension_end(struct thread *me)
{
	if (me->kind != THREAD_USER)
		return;
	struct rseq_area *area = &me->act->rseq;

	__atomic_store_n(&area->slice.request, 0, __ATOMIC_RELAXED);
	compiler_barrier();
	if (likely(!__atomic_load_n(&area->slice.granted, __ATOMIC_RELAXED)))
		return;
	rt_enter();
	count_up(&me->act->vproc->extensions);
	rt_leave(me);
	if (strange_begin()) {		/* else the kernel takes the rest at the next call, whatever it is, or soon by itself */
		arch_syscall0(SLICE_YIELD);
		strange_end();
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sections of the program's that are not to be preempted: inside one, a thread that is asked to give way
 * goes on to the section's end and gives way there.  `nopreempt` says don't preempt me; `owes_since_ns`,
 * since when it owes a processor.  The uncontested path is two increments of its own word.
 *
 * A debt is granted for 4 ms of computing only: time in which the kernel runs other processes helps
 * nobody here, and does not count.  Who has not paid by then is preempted as any other, and for a second
 * its sections count for nothing.
 *
 * A thread that blocks in the kernel amid a section loses its vproc, as any other.  When it is back it
 * goes before all that are ready, and who runs there makes room: so the section ends soon.
 *
 * The runtime's own critical sections are rt_enter .. rt_leave, which defer the same way and end soon.
 */
#include "vproc.h"

static const int64_t defer_max_ns = 4 * NS_PER_MS;
static const uint64_t penalty_ns = NS_PER_S;

/* By me, asked to give way: may it go on? */
bool sched_defers(struct thread *me)
{
	if (likely(!me->nopreempt))
		return false;
	uint64_t now = now_ns(), computed = sys_thread_cpu_ns(me->act->tid);
	uint64_t switches = load_relaxed(&me->act->vproc->switches);

	if (now < me->distrusted_until_ns)
		return false;
	if (!me->owes_since_ns || me->owes_at_switch != switches) {	/* who gave way meanwhile, by a block too, has paid */
		me->owes_since_ns = computed;
		me->owes_at_switch = switches;
		count_up(&me->act->vproc->deferrals);
	}
	/* Negative, where a signal that came amid of this has set it. */
	if ((int64_t)(computed - me->owes_since_ns) < defer_max_ns)
		return true;
	me->owes_since_ns = 0;
	me->distrusted_until_ns = now + penalty_ns;
	return false;
}

/*
 * By others: its thread has been asked, and may still go on.  To ask again would only cost it of its time, and where it
 * has blocked meanwhile, wake it each time: without perf that looks as if it ran.
 */
bool sched_is_granted(struct activation *a)
{
	struct thread *t = load_acquire(&a->thread);
	uint64_t since = __atomic_load_n(&t->owes_since_ns, __ATOMIC_RELAXED);

	return since && t->owes_at_switch == load_relaxed(&a->vproc->switches) &&
	       (int64_t)(sys_thread_cpu_ns(a->tid) - since) < defer_max_ns;
}

bool sched_is_in_section(struct thread *t)
{
	return t->nopreempt && now_ns() >= t->distrusted_until_ns;
}

void sched_nopreempt_begin(void)
{
	struct thread *me = thread_self();

	me->nopreempt++;
	compiler_barrier();
	if (unlikely(load_relaxed(&sched.extends)))
		extension_ask(me);
}

/* With sched_ext the processor itself may be owed, to another process (upcall/scx.c). */
static COLD void pay_the_kernel(struct thread *me)
{
	if (me->kind == THREAD_USER && *me->act->vproc->owes)
		sys_yield();
}

void sched_nopreempt_end(void)
{
	struct thread *me = self_ptr;

	compiler_barrier();
	uint32_t depth = --me->nopreempt;

	compiler_barrier();	/* a signal before this leaves a debt, one after it preempts */
	if (depth)
		return;
	if (unlikely(load_relaxed(&sched.extends)))
		extension_end(me);
	if (unlikely(sched.keeps_cpus))
		pay_the_kernel(me);
	if (likely(!me->owes_since_ns))
		return;
	me->owes_since_ns = 0;
	fetch_or(&me->pending, PEND_PREEMPT);
	rt_enter();
	rt_leave(me);
}

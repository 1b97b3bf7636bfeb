// SPDX-License-Identifier: BSD-2-Clause
/*
 * How long a thread has computed.
 *
 * The account is kept at looks (vproc.h), in ticks of the processor's counter: that is cheap, but
 * counts the time that the kernel gave to other processes too.  Good enough for people who look; a program
 * that asks gets the kernel's word.  From its first question on, each switch reads the kernel's
 * clock of the activation, a system call, and charges the thread that leaves with what that says.
 *
 * How much of it the kernel spent on the thread's behalf is kept in the same way from the first
 * question for that on (`cpu_splits`); what came before counts as the thread's own.
 *
 * activation.cpu_base_ns is that clock when the thread that it runs came to it; 0: not read yet, so
 * the ticks count until the next switch, or the next question by another thread.
 */
#include <sys/resource.h>

#include "vproc.h"

enum { EXACT_NO, EXACT_YES, EXACT_SOON };

/* Kernel thread `tid`'s own clock (0: the caller's), as the kernel encodes it. */
static uint64_t kernel_clock(int tid)
{
	struct timespec ts = { 0 };

	arch_syscall2(SYS_clock_gettime, tid ? (int)(~(unsigned)tid << 3 | 6) : CLOCK_THREAD_CPUTIME_ID, (long)&ts);
	return ns_from_timespec(&ts);
}

/* The rate is fixed with the first question, so that no clock ever goes back. */
static void be_exact(void)
{
	uint32_t no = EXACT_NO;

	if (cas_seq_cst(&sched.cpu_exact, &no, EXACT_SOON)) {
		sched.rate_ticks = arch_ticks() - sched.start_ticks;
		sched.rate_ns = now_ns() - sched.start_ns;
		fetch_or(&sched_special, SPECIAL_EXACT);
		store_release(&sched.cpu_exact, EXACT_YES);
	}
	while (load_acquire(&sched.cpu_exact) != EXACT_YES)
		arch_pause();
}

static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((__uint128_t)ns * sched.rate_ticks / sched.rate_ns);
}

static uint64_t ns_of(uint64_t ticks)
{
	return (uint64_t)((__uint128_t)ticks * sched.rate_ns / sched.rate_ticks);
}

/* System time of the calling kernel thread. */
static uint64_t kernel_system_us(void)
{
	struct rusage usage = { 0 };

	arch_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)&usage);
	return (uint64_t)usage.ru_stime.tv_sec * 1000000 + (uint64_t)usage.ru_stime.tv_usec;
}

static void charge_system(struct activation *a, struct thread *t)
{
	uint64_t now = kernel_system_us();

	if (a->knows_system && now > a->system_base_us)
		count_add(&t->system_us, now - a->system_base_us);
	a->system_base_us = now;
	a->knows_system = true;
}

void cpu_charge(struct activation *a, struct thread *t, uint64_t tsc)
{
	uint64_t ticks = a->clock_paused ? 0 : tsc - a->tsc;

	if (unlikely(load_acquire(&sched.cpu_exact) == EXACT_YES)) {
		uint64_t now = kernel_clock(0), base = load_relaxed(&a->cpu_base_ns);

		if (base)
			ticks = ticks_of(now - base);
		store_relaxed(&a->cpu_base_ns, now);
		if (unlikely(load_relaxed(&sched.cpu_splits)))	/* a late look splits later */
			charge_system(a, t);
	}
	count_add(&t->cpu_ticks, ticks);
	a->tsc = tsc;
	a->clock_paused = false;
	if (is_owner(a))
		vproc_count_blocked(a->vproc, tsc);
}

/* Main's clock went on before there was an account. */
void cpu_start(struct thread *me)
{
	uint64_t ns = kernel_clock(0), ticks = arch_ticks() - sched.start_ticks;
	uint64_t span = now_ns() - sched.start_ns;

	store_relaxed(&me->cpu_ticks, (uint64_t)((__uint128_t)ns * ticks / span));
}

/* The calling thread has just got kernel thread `a` for itself: from now on that one's clock counts. */
void cpu_bind(struct activation *a)
{
	store_relaxed(&a->cpu_base_ns, kernel_clock(0));
}

/* A block that was announced is not computing; the kernel knows that by itself, once it is asked. */
void clock_pause(struct thread *me)
{
	struct activation *a = me->act;
	uint64_t tsc = arch_ticks();

	if (load_relaxed(&sched.cpu_exact) == EXACT_YES) {
		if (!load_relaxed(&a->cpu_base_ns))
			cpu_charge(a, me, tsc);
	} else {
		count_add(&me->cpu_ticks, tsc - a->tsc);
		a->tsc = tsc;
		a->clock_paused = true;
	}
	store_relaxed(&a->vproc->blocked_tsc, tsc);
}

void clock_resume(struct thread *me)
{
	struct activation *a = me->act;
	uint64_t tsc = arch_ticks();

	if (is_owner(a))
		vproc_count_blocked(a->vproc, tsc);
	if (!a->clock_paused)
		return;
	a->tsc = tsc;
	a->clock_paused = false;
}

static uint64_t own_ticks(struct thread *me)
{
	uint32_t was = me->in_rt;

	me->in_rt = 1;		/* stays on its activation */
	compiler_barrier();
	cpu_charge(me->act, me, arch_ticks());
	uint64_t ticks = load_relaxed(&me->cpu_ticks);

	if (was)
		return ticks;
	rt_leave(me);
	return ticks;
}

/*
 * From now on the kernel's clock counts for what `a` runs, as if it had run at the ticks' pace until now; `a`
 * itself may be first.  (The base may lie before the clock's begin: the difference is what counts.)  A switch
 * that began before the process's first question and ends after this counts its stretch twice.
 */
static void note_base(struct activation *a, uint64_t ticks)
{
	uint64_t none = 0, base = kernel_clock(a->tid) - ns_of(ticks) - 1;	/* or it went back */

	cas_seq_cst(&a->cpu_base_ns, &none, base ? base : 1);
}

/* Of another thread, which may switch meanwhile: then once more. */
static uint64_t other_ticks(struct thread *t)
{
	for (int tries = 0; ; tries++) {
		uint64_t ticks = load_acquire(&t->cpu_ticks), more = 0;
		struct activation *a = __atomic_load_n(&t->act, __ATOMIC_ACQUIRE);

		if (!a || load_acquire(&a->thread) != t)
			return ticks;
		uint64_t base = load_acquire(&a->cpu_base_ns), now = arch_ticks();
		uint64_t since = *(volatile uint64_t *)&a->tsc;

		if (base) {
			uint64_t clock = kernel_clock(a->tid);

			more = (int64_t)(clock - base) > 0 ? ticks_of(clock - base) : 0;
		} else if (!a->clock_paused && now > since) {
			more = now - since;
		}
		if (tries == 8 || (load_acquire(&t->cpu_ticks) == ticks && load_acquire(&a->cpu_base_ns) == base &&
				   load_acquire(&a->thread) == t)) {
			if (!base)
				note_base(a, more);
			return ticks + more;
		}
	}
}

uint64_t sched_cpu_ns(struct thread *t)
{
	be_exact();
	return ns_of(t == self_ptr && t->kind == THREAD_USER ? own_ticks(t) : other_ticks(t));
}

uint64_t sched_system_ns(struct thread *me, uint64_t *ret_all_ns)
{
	store_relaxed(&sched.cpu_splits, 1);	/* each activation sees it at its next switch */
	*ret_all_ns = sched_cpu_ns(me);
	if (me->kind != THREAD_USER)
		charge_system(me->act, me);
	return load_relaxed(&me->system_us) * NS_PER_US;	/* only itself and its switches write it */
}

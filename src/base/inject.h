// SPDX-License-Identifier: BSD-2-Clause
/*
 * Injection: a build with -Dinject=true makes by seed what happens by bad luck.
 *
 *	UPCALL_INJECT=SEED:KIND[,KIND...]
 *
 *   delay    a spin, a yield or a short sleep before an ordered access to a shared word
 *   lost     an event source does not tell of a block, or of its end; a preemption signal is not sent
 *   late     an event source tells later, or says what it said the last time; a new thread is taken before its maker
 *            is back
 *   doubled  an event of a source, a timer, a preemption signal or an arming comes twice
 *   swapped  an event of a source comes after the next one
 *   blocked  an event source says "blocked" of an activation that is not
 *   migrate  a thread that is made ready goes to another vproc
 *   all      all of them
 *
 * Without the option nothing of this is compiled.  The order of the choices is that in which kernel
 * threads come by, so a seed gives the same mixture, not the same run.
 */
#ifndef UPCALL_BASE_INJECT_H
#define UPCALL_BASE_INJECT_H

enum inject_kind {
	INJECT_DELAY = 1, INJECT_LOST = 2, INJECT_LATE = 4, INJECT_DOUBLED = 8, INJECT_BLOCKED = 16,
	INJECT_MIGRATE = 32, INJECT_SWAPPED = 64, INJECT_ALL = 127,
};

#ifdef UPCALL_INJECT
#pragma GCC visibility push(hidden)
extern unsigned inject_kinds;
void inject_init(void);			/* at load: reads the environment */
void inject_delay(void);
/* Is it to happen now?  One time in `n`. */
_Bool inject_now(enum inject_kind kind, unsigned n);
unsigned inject_below(unsigned n);
/* A real-time thread that slept would let those go on that are to wait for it: delays are no sleeps from now on. */
void inject_no_sleeps(void);
#pragma GCC visibility pop
#define INJECT_POINT() ((void)(__builtin_expect(inject_kinds & INJECT_DELAY, 0) && (inject_delay(), 0)))
#define INJECT_CHECK(cond) check(cond)		/* too dear for other builds */
#else
#define INJECT_POINT() ((void)0)
#define INJECT_CHECK(cond) ((void)0)
#define inject_init() ((void)0)
#define inject_now(kind, n) 0
#define inject_below(n) 0u
#define inject_no_sleeps() ((void)0)
#endif

#endif

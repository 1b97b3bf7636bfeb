// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stress programs draw all their choices from one seed: argv[1], else SEED in the environment, else a
 * fixed number.  The seed is printed, so that a failure can be tried again; what the scheduler does
 * with the same choices still differs from run to run.
 */
#ifndef STRESS_H
#define STRESS_H

#define IS_LONG		/* on a slow machine */
#include "../posix/harness.h"

static uint64_t stress_base;

static inline void stress_seed(int argc, char **argv)
{
	const char *s = argc > 1 ? argv[1] : getenv("SEED");

	stress_base = s ? strtoull(s, NULL, 0) : 20260101;
	printf("seed %llu\n", (unsigned long long)stress_base);
	fflush(stdout);
}

/* Threads that do nothing but block get kernel threads of their own: here they are to be as others. */
static inline void stay_unbound(char **argv)
{
	const char *off = getenv("UPCALL_DISABLE");
	char list[256];

	if (off && strstr(off, "bind"))
		return;
	snprintf(list, sizeof(list), "%s%sbind", off ? off : "", off ? "," : "");
	setenv("UPCALL_DISABLE", list, 1);
	execv("/proc/self/exe", argv);
	perror("/proc/self/exe");
}

/* splitmix64: each call steps the state and mixes it. */
static inline uint64_t next_random(uint64_t *r)
{
	uint64_t z = *r += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A generator of its own for each thread. */
static inline uint64_t seed_for(int thread)
{
	uint64_t r = stress_base + (uint64_t)(int64_t)thread * 1000003;

	next_random(&r);
	return r;
}

static inline uint64_t pick(uint64_t *r, uint64_t below)
{
	return next_random(r) % below;
}

/* Mostly nothing; now and then computing, a yield, or a short sleep. */
static inline void dawdle(uint64_t *r)
{
	uint64_t what = pick(r, 64);

	if (what == 0)
		usleep((useconds_t)pick(r, 1000));
	else if (what < 6)
		sched_yield();
	else if (what < 12)
		for (volatile uint64_t i = pick(r, 5000); i > 0; i--)
			;
}

/* A system call that no library can see. */
static inline long raw_syscall(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	skip("no inline system call for this processor");
#endif
}

#endif

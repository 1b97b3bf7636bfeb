// SPDX-License-Identifier: BSD-2-Clause
/* Work of a given length, of one instruction after the other: a processor cannot do it beside what comes next. */
#ifndef BENCH_SPIN_H
#define BENCH_SPIN_H

#include <stdint.h>

static inline void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}

/* In a loop that waits for another thread. */
static inline void spin_pause(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

static inline unsigned spins_in_100_ns(uint64_t (*clock_ns)(void))
{
	enum { TRIALS = 20, SPINS = 100000 };
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIALS; i++) {
		uint64_t start = clock_ns();

		spin(SPINS);
		uint64_t elapsed = clock_ns() - start;

		best = elapsed < best ? elapsed : best;
	}
	return (unsigned)(100.0 * SPINS / (double)(best ? best : 1));
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "lock.h"

#include <time.h>

#include "../arch/arch.h"

enum { SPINS = 100, YIELDS = 20, NAP_NS = 50 * 1000 };

/* A holder that the kernel preempted needs this CPU: yield, and if that does not help, sleep. */
void lock_slow(struct lock *l)
{
	const struct timespec nap = { 0, NAP_NS };

	for (unsigned round = 0;; round++) {
		for (int i = 0; i < SPINS; i++) {
			if (load_relaxed(&l->word) == 0 && lock_try(l))
				return;
			arch_pause();
		}
		if (round < YIELDS)
			arch_syscall0(SYS_sched_yield);
		else
			arch_syscall2(SYS_nanosleep, (long)&nap, 0);
	}
}

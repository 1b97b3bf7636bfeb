// SPDX-License-Identifier: BSD-2-Clause
#include "lock.h"

#include <linux/futex.h>

#include "../arch/arch.h"

enum { SPINS = 100 };

void lock_slow(struct lock *l)
{
	for (int i = 0; i < SPINS; i++) {
		if (load_relaxed(&l->word) == 0 && lock_try(l))
			return;
		arch_pause();
	}
	while (xchg_acq_rel(&l->word, 2) != 0)
		arch_syscall4(SYS_futex, (long)&l->word, FUTEX_WAIT_PRIVATE, 2, 0);
}

void unlock_slow(struct lock *l)
{
	arch_syscall3(SYS_futex, (long)&l->word, FUTEX_WAKE_PRIVATE, 1);
}

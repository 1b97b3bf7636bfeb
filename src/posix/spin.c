// SPDX-License-Identifier: BSD-2-Clause
/*
 * Spin locks, in libc's format, which differs between processors: one free and one held value, found
 * by asking libc.  A holder that is not running is waited for by yielding.
 */
#include <errno.h>
#include <pthread.h>

#include "../arch/arch.h"
#include "../sched/sched.h"
#include "real.h"

enum { SPINS = 20 };

/* Set once, to the same by everybody; is_known last. */
static uint32_t free_value, held_value;
static struct au32 is_known;

static __attribute__((noinline)) void find_values(void)
{
	pthread_spinlock_t l;

	REAL(pthread_spin_init)(&l, PTHREAD_PROCESS_PRIVATE);
	free_value = (uint32_t)l;
	REAL(pthread_spin_lock)(&l);
	held_value = (uint32_t)l;
	store_release(&is_known, 1);
}

static inline bool take(pthread_spinlock_t *l)
{
	uint32_t seen;

	if (unlikely(!load_acquire(&is_known)))
		find_values();
	seen = free_value;
	return cas_acquire((struct au32 *)l, &seen, held_value);
}

/* Plain loads until it looks free, or for a while. */
static void wait_shortly(pthread_spinlock_t *l)
{
	for (int i = 0; i < SPINS && load_relaxed((struct au32 *)l) != free_value; i++)	/* a hint */
		arch_pause();
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	for (unsigned i = 1; !take(l); i++) {
		if (i % SPINS && sched_vprocs() > 1)
			wait_shortly(l);
		else
			sched_yield_now();
	}
	return 0;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	return take(l) ? 0 : EBUSY;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (unlikely(!load_acquire(&is_known)))
		find_values();
	store_release((struct au32 *)l, free_value);
	return 0;
}

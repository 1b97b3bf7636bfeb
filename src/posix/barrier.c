// SPDX-License-Identifier: BSD-2-Clause
/*
 * Barriers.  libc's init checks its arguments and says in one field whether the barrier is shared
 * between processes; those are libc's, the others ours in the same bytes.
 */
#include "../sync/barrier.h"

#include <pthread.h>
#include <string.h>

#include "real.h"
#include "shared.h"

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "fits");

static inline struct barrier *barrier_of(pthread_barrier_t *b)
{
	return (struct barrier *)b;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict handle,
				const pthread_barrierattr_t *restrict attr, unsigned count)
{
	int err = REAL(pthread_barrier_init)(handle, attr, count);
	struct barrier *bar = barrier_of(handle);

	if (err || bar->shared)
		return err;
	memset(handle, 0, sizeof(*handle));
	bar->count = count;
	return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *handle)
{
	struct barrier *bar = barrier_of(handle);

	if (unlikely(bar->shared))
		return SHARED_WAIT(REAL(pthread_barrier_wait)(handle));
	return barrier_wait(bar) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *handle)
{
	if (barrier_of(handle)->shared)
		return REAL(pthread_barrier_destroy)(handle);
	barrier_destroy(barrier_of(handle));
	return 0;
}

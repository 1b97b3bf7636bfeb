// SPDX-License-Identifier: BSD-2-Clause
/*
 * Barriers.  libc's init checks its arguments and says in one field whether the barrier is shared
 * between processes; those are libc's (but see home.h), the others ours in the same bytes.
 */
#include "../sync/barrier.h"

#include <pthread.h>
#include <string.h>

#include "home.h"
#include "real.h"
#include "shared.h"

struct posix_barrier {
	struct barrier barrier;
	struct home home;
};
_Static_assert(sizeof(struct posix_barrier) <= sizeof(pthread_barrier_t), "fits");

static inline struct barrier *barrier_of(pthread_barrier_t *b)
{
	return (struct barrier *)b;
}

static inline bool is_shared(pthread_barrier_t *b)
{
	return barrier_of(b)->shared && !home_is_private(&((struct posix_barrier *)b)->home);
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict handle,
				const pthread_barrierattr_t *restrict attr, unsigned count)
{
	int err = REAL(pthread_barrier_init)(handle, attr, count);
	struct barrier *bar = barrier_of(handle);

	if (err)
		return err;
	if (bar->shared) {
		home_set(&((struct posix_barrier *)handle)->home);
		return 0;
	}
	memset(handle, 0, sizeof(*handle));
	bar->count = count;
	return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *handle)
{
	struct barrier *bar = barrier_of(handle);

	if (unlikely(is_shared(handle)))
		return SHARED_WAIT(REAL(pthread_barrier_wait)(handle));
	return barrier_wait(bar) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *handle)
{
	if (is_shared(handle))
		return REAL(pthread_barrier_destroy)(handle);
	barrier_destroy(barrier_of(handle));
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "../sync/barrier.h"

#include "bound.h"

ASSERT_FITS(struct barrier, struct upcall_barrier);

static inline struct barrier *native_barrier(struct upcall_barrier *b)
{
	return (struct barrier *)b;
}

int upcall_barrier_init(struct upcall_barrier *barrier, unsigned count)
{
	if (!count)
		return -EINVAL;
	*barrier = (struct upcall_barrier){ 0 };
	native_barrier(barrier)->count = count;
	return 0;
}

int upcall_barrier_wait_until(struct upcall_barrier *barrier, uint64_t deadline_ns)
{
	told_release(barrier);
	int last = barrier_wait_until(native_barrier(barrier), deadline_ns);

	if (last >= 0)
		told_acquire(barrier);
	return last;
}

int upcall_barrier_wait(struct upcall_barrier *barrier)
{
	return upcall_barrier_wait_until(barrier, UPCALL_NEVER);
}

void upcall_barrier_destroy(struct upcall_barrier *barrier)
{
	barrier_destroy(native_barrier(barrier));
}

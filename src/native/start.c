// SPDX-License-Identifier: BSD-2-Clause
/* From one thread to many. */
#include "../base/lock.h"
#include "../sys/sys.h"
#include "native.h"

static struct lock start_lock;
static int start_error;

/* Where posix is in the process, it starts threads; else load.c. */
static int start(void)
{
	while (!lock_try(&start_lock))
		sys_yield();		/* kernel threads that the program made race for it */
	if (!sched_is_started && !start_error)
		start_error = sched_hooks.start ? sched_hooks.start() : -ENOSYS;
	lock_drop(&start_lock);
	return start_error;
}

int native_start(void)
{
	return likely(sched_is_started) ? 0 : start();
}

unsigned upcall_vprocs(void)
{
	return native_start() ? 1 : sched_vprocs();
}

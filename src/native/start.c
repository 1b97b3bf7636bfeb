// SPDX-License-Identifier: BSD-2-Clause
/* From one thread to many. */
#include <string.h>

#include "../base/child.h"
#include "../base/lock.h"
#include "../io/io.h"
#include "../sys/sys.h"
#include "bound.h"

static struct lock start_lock;
static int start_error;
static bool is_ready;		/* started, and in this process: a forked child lacks some of that */
void (*native_signals_start)(void);

/* Where posix is in the process, it starts threads; else load.c. */
static int start(void)
{
	if (native_is_bound)
		return 0;
	while (!lock_try(&start_lock))
		sys_yield();		/* kernel threads that the program made race for it */
	if (!sched_is_started && !start_error)
		start_error = sched_hooks.start ? sched_hooks.start() : -ENOSYS;
	if (!start_error && !is_ready && native_signals_start)
		native_signals_start();
	is_ready = !start_error;
	lock_drop(&start_lock);
	return start_error;
}

static int process;			/* whose memory this is */

__attribute__((constructor(102))) static void note_process(void)
{
	process = sys_getpid();
}

bool native_is_elsewhere(void)
{
	return sched_is_started && sys_getpid() != process;
}

bool native_keeps_book(int fd)
{
	return io_type(fd) == IO_UNKNOWN || !native_is_elsewhere();
}

void native_fork_child(void)
{
	note_process();
	zero_in_child(&is_ready, sizeof(is_ready));
	lock_fork_child(&start_lock);
	native_key_fork_child();
	if (!sched_is_started)		/* else io_fork_child is called */
		io_turns_fork_child();
}

int native_start(void)
{
	return likely(is_ready) ? 0 : start();
}

int upcall_init(const struct upcall_options *options)
{
	struct upcall_options o = UPCALL_OPTIONS_INIT;
	int err = native_options(&o, sizeof(o), options);

	if (err)
		return err;
	if (o.flags || o.vprocs > UPCALL_VPROCS_MAX)
		return -EINVAL;
	if (sched_is_started)
		return -EBUSY;
	if (o.policy)
		err = sched_set_policy(o.policy);
	if (err)
		return err;
	if (o.vprocs)
		sched_set_vprocs(o.vprocs);
	return native_start();
}

unsigned upcall_vprocs(void)
{
	return native_start() || native_is_bound ? 1 : sched_vprocs();
}

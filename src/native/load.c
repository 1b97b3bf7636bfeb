// SPDX-License-Identifier: BSD-2-Clause
/*
 * The beginning of libupcall.so, which has no posix room: load, start, and the child of a fork.
 *
 * Where libupcall-pthread.so is preloaded, its upcall_* are the ones that are called, and this
 * library does nothing.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "../arch/arch.h"
#include "../io/io.h"
#include "../sync/join.h"
#include "../sys/probe.h"
#include "../sys/setting.h"
#include "../sys/sys.h"
#include "../thread/stack.h"
#include "../thread/tls.h"
#include "../trace/page.h"
#include "../trace/ring.h"
#include "bound.h"

static int start_threads(void)
{
	join_start();
	int err = io_start();

	if (!err)
		err = sched_start();
	return err;
}

/* On the child's only thread, before the program's own handlers: but for those of its .preinit_array. */
static void fork_child(void)
{
	struct thread *me = thread_self();
	uint64_t mask = me->kmask;

	native_fork_child();
	if (!sched_is_started) {
		me->tid = sys_gettid();
		lot_fork_child();	/* objects can be waited for before that, too */
		return;
	}
	sched_fork_child(me);
	lot_fork_child();
	io_fork_child(false);
	thread_fork_child(me);
	sys_sigmask(SIG_SETMASK, &mask, NULL);
}

__attribute__((constructor(101))) static void load(void)
{
	if (dlsym(RTLD_DEFAULT, "upcall_create") != (void *)upcall_create)
		return;
	const char *disabled = setting_read(SETTING_DISABLE);

	arch_init(!probe_is_disabled(disabled, "fsgsbase"));
	thread_init();
	tls_copy_init(!probe_is_disabled(disabled, "tlscopy"));
	stack_init(!probe_is_disabled(disabled, "guard") && probe_guard() == 0);
	io_allow_nowait(!probe_is_disabled(disabled, "nowait"));
	lot_init();
	sched_configure();
	stats_init();
	trace_configure();
	sched_hooks.start = start_threads;
	native_signals_start = signals_start;
	pthread_atfork(NULL, NULL, fork_child);
}

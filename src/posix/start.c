// SPDX-License-Identifier: BSD-2-Clause
/* Load, the first pthread_create, and the child of a fork. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/print.h"
#include "../io/io.h"
#include "../sync/join.h"
#include "../sys/probe.h"
#include "../sys/setting.h"
#include "../sys/sys.h"
#include "../thread/stack.h"
#include "../thread/tls.h"
#include "../trace/page.h"
#include "../trace/ring.h"
#include "bind.h"
#include "direct.h"
#include "openmp.h"
#include "posix.h"
#include "real.h"

bool posix_traces;
static bool is_bound;

/* Once: as a constructor, or before, when the constructor of another library starts a thread. */
__attribute__((constructor(101))) static void load(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	const char *disabled = setting_read(SETTING_DISABLE);

	arch_init(!probe_is_disabled(disabled, "fsgsbase"));
	thread_init();
	tls_copy_init(!probe_is_disabled(disabled, "tlscopy"));
	stack_init(!probe_is_disabled(disabled, "guard") && probe_guard() == 0);
	ring_configure(!probe_is_disabled(disabled, "io_uring"));
	io_allow_nowait(!probe_is_disabled(disabled, "nowait"));
	openmp_configure(disabled);
	sched_binds_blockers = !probe_is_disabled(disabled, "bind");
	lot_init();
	sched_hooks.start = posix_start_threads;
	sched_hooks.born = signal_thread_new;
	sched_hooks.ending = signal_thread_end;
	sched_configure();
	attr_configure();
	stats_init();
	trace_configure();
	is_bound = setting_is_on("UPCALL_BOUND") || probe_is_instrumented() || direct_is_loaded();
	posix_traces = direct_imports("ptrace");
	if (env_start)
		env_start();
}

bool posix_is_bound(void)
{
	load();
	return is_bound || (bind_binds_all() && !sched_is_started);
}

/* In a child that it forked: it ends where it began, and nobody of ours can go on where it was. */
static bool is_first_of_libcs(const struct thread *me)
{
	return me != thread_main() && !me->stack_class && sys_gettid() == sys_getpid();
}

/*
 * Threads inherit a real-time policy from who makes them, so all of them would ask for kernel threads,
 * and what runs the others would have it too: where the first one is made so, all are the kernel's.
 */
bool posix_begins_bound(void)
{
	int policy = (int)arch_syscall1(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;

	if (policy == SCHED_FIFO || policy == SCHED_RR || is_first_of_libcs(thread_self()))
		is_bound = true;
	return is_bound;
}

int posix_start_threads(void)
{
	int err = tls_is_known() ? 0 : -ENOSYS;

	if (err) {
		complain("libpthread has been stripped of its symbols; the program runs on kernel threads");
		is_bound = true;
		return err;
	}
	real_start();
	if (real_find_optional("_Unwind_Resume"))	/* as in C++ programs; else nobody has searched for the file */
		unwind_prepare();
	join_start();
	bind_start();
	if (signal_start)
		signal_start();
	err = io_start ? io_start() : 0;
	if (!err)
		err = sched_start();
	if (err) {
		complain("cannot start user-level threads (error %d); the program runs on kernel threads", -err);
		is_bound = true;
	}
	/* Who forks a program to trace it is its tracer: to the kernel, the kernel thread that forked. */
	if (!err)
		bind_main(posix_traces);
	return err;
}

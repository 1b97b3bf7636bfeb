// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first frame of a thread, and its end.
 *
 * A thread with a TLS block is one to libc too: the frame prepares what libc keeps for each thread,
 * so that pthread_exit and pthread_cancel on it unwind to here.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/print.h"
#include "../io/io.h"
#include "../thread/tls.h"
#include "native.h"

/* Declared by the system's header only without -fexceptions. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buf);

/* Ends inside the runtime, but for what is left to sched_exit. */
static void end(struct thread *me)
{
	native_run_destructors(me);
	if (!me->is_bare) {
		tls_run_destructors();
		native_run_destructors(me);		/* of values that those set */
		tls_release_robust(me->tls, !load_relaxed(&sched_is_confined));
	}
	if (sched_hooks.ending)
		sched_hooks.ending(me);
	rt_enter_as(me);
	if (unlikely(sched_count_out(me))) {
		rt_leave(me);
		exit(0);		/* the last thread that ends, ends the process */
	}
}

void native_end(struct thread *me)
{
	end(me);
	sched_exit(me);
}

static void run(struct thread *me)
{
	__pthread_unwind_buf_t unwind;
	/* libc's cancellation buffer is a jmp_buf without the signal mask, which is not saved. */
	struct __jmp_buf_tag *jump = (struct __jmp_buf_tag *)(void *)unwind.__cancel_jmp_buf;

	__asm__("" : "+r"(jump));
	if (__sigsetjmp(jump, 0) == 0) {
		__pthread_register_cancel(&unwind);
		rt_leave(me);
		if (!me->wants_kernel_thread || native_bind(me))
			me->result = me->start(me->arg);
	}
	end(me);
}

FLAT void native_bare_frame(void)
{
	struct thread *me = self_ptr;

	sched_thread_starts(me);
	rt_leave(me);
	me->result = me->start(me->arg);
	native_end(me);
}

FLAT void native_first_frame(void)
{
	struct thread *me = self_ptr;

	sched_thread_starts(me);
	tls_enter();
	run(me);
	sched_exit(me);
}

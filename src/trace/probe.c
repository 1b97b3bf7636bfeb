// SPDX-License-Identifier: BSD-2-Clause
/*
 * The same events as probes of <sys/sdt.h>, for perf, bpftrace and gdb: man upcall-probes.
 *
 * A probe is a nop and a note in the file.  Its semaphore, which whoever watches it counts up, is for
 * all probes the same word, that which trace points look at anyway.  The kernel finds it by its place
 * in the file, so it must be in the file: not in .bss.
 */
#include "ring.h"

union trace_switches trace_switches __attribute__((section(".probes"), used)) = { { 0 } };

#ifdef UPCALL_HAS_SDT
#define _SDT_HAS_SEMAPHORES 1
#define SDT_USE_VARIADIC 1
#include <sys/sdt.h>

#define SEMAPHORE(probe) \
	extern uint16_t upcall_##probe##_semaphore __attribute__((alias("trace_switches"), visibility("hidden")))

SEMAPHORE(switch);
SEMAPHORE(wake);
SEMAPHORE(park);
SEMAPHORE(run);
SEMAPHORE(create);
SEMAPHORE(name);
SEMAPHORE(steal);
SEMAPHORE(upcall__added);
SEMAPHORE(upcall__blocked);
SEMAPHORE(upcall__unblocked);
SEMAPHORE(upcall__preempted);
SEMAPHORE(call__begin);
SEMAPHORE(call__end);
SEMAPHORE(sleep__begin);
SEMAPHORE(sleep__end);
SEMAPHORE(poll);

/* Never inlined: each probe is in the program once. */
__attribute__((noinline)) void trace_probe(const struct upcall_trace_event *e)
{
	switch ((enum upcall_trace_kind)e->kind) {
	case UPCALL_TRACE_SWITCH:
		STAP_PROBE6(upcall, switch, e->vproc, e->thread, e->other, e->reason, e->number, e->object);
		break;
	case UPCALL_TRACE_WAKE:
		STAP_PROBE6(upcall, wake, e->vproc, e->thread, e->other, e->reason, e->number, e->object);
		break;
	case UPCALL_TRACE_PARK:
		STAP_PROBE3(upcall, park, e->thread, e->reason, e->object);
		break;
	case UPCALL_TRACE_RUN:
		STAP_PROBE1(upcall, run, e->thread);
		break;
	case UPCALL_TRACE_CREATE:
		STAP_PROBE4(upcall, create, e->vproc, e->thread, e->other, e->object);
		break;
	case UPCALL_TRACE_NAME:
		STAP_PROBE2(upcall, name, e->thread, (const char *)&e->other);
		break;
	case UPCALL_TRACE_STEAL:
		STAP_PROBE3(upcall, steal, e->vproc, e->thread, e->number);
		break;
	case UPCALL_TRACE_ADDED:
		STAP_PROBE2(upcall, upcall__added, e->object, e->number);
		break;
	case UPCALL_TRACE_BLOCKED:
		STAP_PROBE3(upcall, upcall__blocked, e->vproc, e->thread, e->number);
		break;
	case UPCALL_TRACE_UNBLOCKED:
		STAP_PROBE2(upcall, upcall__unblocked, e->thread, e->number);
		break;
	case UPCALL_TRACE_PREEMPTED:
		STAP_PROBE4(upcall, upcall__preempted, e->object, e->thread, e->number, e->reason);
		break;
	case UPCALL_TRACE_CALL:
		STAP_PROBE3(upcall, call__begin, e->vproc, e->thread, e->number);
		break;
	case UPCALL_TRACE_RETURN:
		STAP_PROBE2(upcall, call__end, e->vproc, e->thread);
		break;
	case UPCALL_TRACE_SLEEP:
		STAP_PROBE3(upcall, sleep__begin, e->vproc, e->reason, e->object);
		break;
	case UPCALL_TRACE_AWAKE:
		STAP_PROBE1(upcall, sleep__end, e->vproc);
		break;
	case UPCALL_TRACE_POLL:
		STAP_PROBE2(upcall, poll, e->vproc, e->number);
		break;
	case UPCALL_TRACE_TIME:		/* of rings only */
	case UPCALL_TRACE_THREAD:
	case UPCALL_TRACE_KINDS:
		break;
	}
}
#else
void trace_probe(const struct upcall_trace_event *e)
{
	(void)e;
}
#endif

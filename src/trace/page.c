// SPDX-License-Identifier: BSD-2-Clause
#include "page.h"

#include <string.h>

#include "../io/slot.h"
#include "../native/mutex.h"
#include "../posix/mutex.h"
#include "../sched/vproc.h"
#include "../sync/rwlock.h"
#include "ring.h"

#define BYTES(type, field) sizeof(((type *)0)->field)
#define SIZE(tag) { #tag, sizeof(struct tag), UPCALL_SIZE, 0, 0 }
#define FIELD(tag, field) \
	{ #tag "." #field, offsetof(struct tag, field), UPCALL_FIELD, BYTES(struct tag, field), 0 }
#define GLOBAL(name, object) { name, (uintptr_t)&(object), UPCALL_GLOBAL, sizeof(object), 0 }
#define VALUE(name, number) { name, (number), UPCALL_VALUE, 0, 0 }
#define COUNTER(name, word) { name, (uintptr_t)&(word), UPCALL_COUNTER, sizeof(word), 0 }
#define GAUGE(name, word) { name, (uintptr_t)&(word), UPCALL_GAUGE, sizeof(word), 0 }
#define VPROC_COUNTER(name, field) \
	{ name, offsetof(struct vproc, field), UPCALL_VPROC_COUNTER, BYTES(struct vproc, field), 0 }

static struct upcall_entry entries[] = {
	/* Ids are given out one by one; 1 is main. */
	{ "threads", (uintptr_t)&threads.next_id, UPCALL_COUNTER, sizeof(threads.next_id), -1 },
	GAUGE("threads_live", threads.live),
	VPROC_COUNTER("switches", switches),
	VPROC_COUNTER("parks", parks),
	VPROC_COUNTER("io_waits", io_waits),
	VPROC_COUNTER("steals", steals),
	VPROC_COUNTER("preemptions", preemptions),
	VPROC_COUNTER("preemptions_deferred", deferrals),
	VPROC_COUNTER("slices_extended", extensions),
	VPROC_COUNTER("preemptions_spinning", spins),
	VPROC_COUNTER("polls", polls),
	VPROC_COUNTER("wakeups", wakeups),
	VPROC_COUNTER("idle_ns", idle_ns),
	COUNTER("upcalls.added.", sched.upcalls_added),
	VPROC_COUNTER("upcalls.blocked.", upcalls_blocked),
	COUNTER("upcalls.unblocked.", sched.upcalls_unblocked),
	COUNTER("upcalls.preempted.", sched.upcalls_preempted),
	GAUGE("activations", sched.nactivations),
	GAUGE("activations_peak", sched.activations_peak),
	GAUGE("activations_spare", sched.nspares),
	GAUGE("activations_blocked", sched.nlost),
	COUNTER("alarms", sched.alarms),
	GAUGE("overlap_max_ns", sched.overlap_max_ns),
	COUNTER("overlaps", sched.overlaps),
	COUNTER("overlaps_late", sched.overlaps_late),

	SIZE(thread),
	FIELD(thread, sp), FIELD(thread, tls), FIELD(thread, act), FIELD(thread, in_rt),
	FIELD(thread, pending), FIELD(thread, state), FIELD(thread, kind), FIELD(thread, last_vproc),
	FIELD(thread, wait_key), FIELD(thread, wait_arg), FIELD(thread, wait_seq), FIELD(thread, wait_kind),
	FIELD(thread, wait_deadline_ns), FIELD(thread, id), FIELD(thread, tid), FIELD(thread, name),
	FIELD(thread, all_link), FIELD(thread, start), FIELD(thread, life), FIELD(thread, stack_low),
	FIELD(thread, stack_bytes), FIELD(thread, guard_bytes), FIELD(thread, stack_start),
	FIELD(thread, user_stack), FIELD(thread, user_stack_bytes), FIELD(thread, cpu_ticks),
	FIELD(thread, left_ticks),
	{ "thread.many_key", offsetof(struct thread, posix[10]), UPCALL_FIELD, 8, 0 },
	SIZE(vproc),
	FIELD(vproc, owner), FIELD(vproc, wake), FIELD(vproc, armed), FIELD(vproc, id), FIELD(vproc, cpu),
	FIELD(vproc, spare), FIELD(vproc, runq.lifo), FIELD(vproc, runq.inbox),
	FIELD(vproc, runq.overflow_count), FIELD(vproc, runq.hot.head), FIELD(vproc, runq.hot.tail),
	FIELD(vproc, runq.cold.head), FIELD(vproc, runq.cold.tail),
	SIZE(activation),
	FIELD(activation, thread), FIELD(activation, vproc), FIELD(activation, tid),
	FIELD(activation, tsc), FIELD(activation, all_link), FIELD(activation, alive),
	FIELD(activation, is_lost), FIELD(activation, idle),
	SIZE(slot),

	GLOBAL("threads.all", threads.all),
	GLOBAL("sched.is_started", sched_is_started),
	GLOBAL("sched.vprocs", sched.vprocs),
	GLOBAL("sched.nvprocs", sched.nvprocs),
	GLOBAL("sched.limit", sched.limit),
	GLOBAL("sched.activations", sched.activations),
	GLOBAL("sched.start_ns", sched.start_ns),
	GLOBAL("sched.start_ticks", sched.start_ticks),
	GLOBAL("sched.poll_ticks", sched.poll_ticks),
	GLOBAL("monitor.tid", monitor_tid),
	GLOBAL("clerk.tid", clerk_tid),
	GLOBAL("slot.pages", slot_pages),
	VALUE("slot.per_page", SLOTS_PER_PAGE),
	VALUE("sched.poll_ns", 100 * NS_PER_US),

	/* For who traces: include/upcall/trace.h. */
	GLOBAL("trace.is_on", trace_switches.of[1]),
	GLOBAL("trace.until_ticks", trace_until_ticks),
	GLOBAL("trace.memory", trace_memory),

	VALUE("state.new", T_NEW), VALUE("state.ready", T_READY), VALUE("state.running", T_RUNNING),
	VALUE("state.kernel", T_KERNEL), VALUE("state.parking", T_PARKING),
	VALUE("state.notified", T_NOTIFIED), VALUE("state.parked", T_PARKED), VALUE("state.done", T_DONE),
	VALUE("wake.awake", VW_AWAKE), VALUE("wake.kicked", VW_KICKED), VALUE("wake.polling", VW_POLLING),
	VALUE("wake.sleeping", VW_SLEEPING), VALUE("wake.blocked", VW_BLOCKED), VALUE("wake.off", VW_OFF),
	VALUE("kind.bound", THREAD_BOUND), VALUE("kind.user", THREAD_USER),
	VALUE("life.reaped", LIFE_REAPED),
	VALUE("wait.mutex", WAIT_MUTEX), VALUE("wait.cond", WAIT_COND), VALUE("wait.rwlock", WAIT_RWLOCK),
	VALUE("wait.barrier", WAIT_BARRIER), VALUE("wait.sem", WAIT_SEM), VALUE("wait.once", WAIT_ONCE),
	VALUE("wait.join", WAIT_JOIN), VALUE("wait.futex", WAIT_FUTEX), VALUE("wait.io", WAIT_IO),
	VALUE("wait.sleep", WAIT_SLEEP), VALUE("wait.park", WAIT_PARK), VALUE("wait.event", WAIT_EVENT),
	VALUE("wait.latch", WAIT_LATCH), VALUE("wait.channel send", WAIT_SEND),
	VALUE("wait.channel receive", WAIT_RECEIVE), VALUE("wait.signal", WAIT_SIGWAIT),
	VALUE("result.timeout", WAIT_TIMEOUT), VALUE("result.signal", WAIT_SIGNAL),
	VALUE("result.cancel", WAIT_CANCEL),
	VALUE("many.shift", WAIT_MANY_SHIFT),
	VALUE("key.tag_mask", LOT_TAG_MASK),	/* the bits of a key that tell kinds of objects apart */

	/*
	 * Objects of the program's: where the holder's tid is, how many read.  A native mutex has a part of the address
	 * of its holder instead, in the upper bits of its word, where a pthread's has none.
	 */
	VALUE("mutex.owner", offsetof(struct mutex, owner)),
	VALUE("mutex.word", offsetof(struct native_mutex, word)), VALUE("mutex.holder", UINT32_MAX & ~MUTEX_HELD_OR_WAITED),
	VALUE("mutex.holder_shift", THREAD_MARK_SHIFT),
	VALUE("rwlock.writer", offsetof(pthread_rwlock_t, __data.__cur_writer)),
	VALUE("rwlock.word", 0), VALUE("rwlock.readers", RW_READERS), VALUE("rwlock.is_written", RW_WRITER),

	/* What arch_switch leaves at thread.sp. */
	VALUE("context.rbp", ARCH_CONTEXT_RBP), VALUE("context.rip", ARCH_CONTEXT_RIP),
	VALUE("context.bytes", ARCH_CONTEXT_BYTES),
};

__attribute__((visibility("default"))) struct upcall_page upcall_page = {
	.magic = UPCALL_PAGE_MAGIC,
	.version = UPCALL_PAGE_VERSION,
	.page_bytes = sizeof(struct upcall_page),
	.entry_bytes = sizeof(struct upcall_entry),
	.nentries = sizeof(entries) / sizeof(entries[0]),
	.entries = (uintptr_t)entries,
};

static struct upcall_registers registers = {
	.version = UPCALL_REGISTERS_VERSION,
	.bytes = sizeof(struct upcall_registers),
	.thread_id = offsetof(struct thread, id),
	.thread_activation = offsetof(struct thread, act),
	.activation_vproc = offsetof(struct activation, vproc),
	.vproc_id = offsetof(struct vproc, id),
	.vproc_cpu = offsetof(struct vproc, cpu),
	.vproc_taken = offsetof(struct vproc, taken_at_ns),
	.vproc_warned = offsetof(struct vproc, warned_ns),
};

/* A function, because the linker would give a program that names a variable of ours a copy of its own. */
__attribute__((visibility("default"))) const volatile struct upcall_registers *upcall_registers(void)
{
	return &registers;
}

void page_given(unsigned n)
{
	__atomic_store_n(&registers.vprocs_given, n, __ATOMIC_RELAXED);
}

void page_wanted(unsigned n)
{
	__atomic_store_n(&registers.vprocs_wanted, n, __ATOMIC_RELAXED);
}

void page_source(const char *name)
{
	strcpy(upcall_page.source, name);
}

static uint64_t read_word(const void *at, unsigned bytes)
{
	/* relaxed: a statistic */
	return bytes == 8 ? load_relaxed((const struct au64 *)at) : load_relaxed((const struct au32 *)at);
}

uint64_t page_read(const struct upcall_entry *e)
{
	uint64_t sum = (uint64_t)(int64_t)e->bias;

	if (e->kind != UPCALL_VPROC_COUNTER)
		return sum + read_word((const void *)(uintptr_t)e->value, e->bytes);
	for (unsigned i = 0; i < vprocs_made(); i++)
		sum += read_word((const char *)&sched.vprocs[i] + e->value, e->bytes);
	return sum;
}

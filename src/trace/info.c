// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the program itself asks of its threads (include/upcall/stats.h, and upcall_machine of reports.h).  Words are read
 * as they are: no lock.
 *
 * A descriptor is never unmapped, nor anything else than one: so a handle of a thread that has ended names one that
 * says so, or another thread.
 */
#include <errno.h>
#include <string.h>
#include <upcall/reports.h>
#include <upcall/stats.h>

#include "../sched/vproc.h"
#include "../sync/lot.h"
#include "page.h"

#define BYTES(type, field) sizeof(((type *)0)->field)
#define STAT(name, field) { name, offsetof(struct upcall_stats, field), BYTES(struct upcall_stats, field) }

/* Under which names of the page's table. */
static const struct { const char *name; size_t offset, bytes; } fields[] = {
	STAT("threads", threads), STAT("threads_live", threads_live), STAT("switches", switches),
	STAT("parks", parks), STAT("steals", steals), STAT("preemptions", preemptions), STAT("polls", polls),
	STAT("wakeups", wakeups), STAT("idle_ns", idle_ns), STAT("upcalls.added.", upcalls_added),
	STAT("upcalls.blocked.", upcalls_blocked), STAT("upcalls.unblocked.", upcalls_unblocked),
	STAT("upcalls.preempted.", upcalls_preempted), STAT("overlap_max_ns", overlap_max_ns),
	STAT("overlaps", overlaps), STAT("overlaps_late", overlaps_late),
	STAT("activations", activations), STAT("activations_peak", activations_peak),
	STAT("activations_spare", activations_spare), STAT("activations_blocked", activations_blocked),
};

static uint64_t value_of(const char *name)
{
	const struct upcall_entry *e = (const struct upcall_entry *)(uintptr_t)upcall_page.entries;

	for (uint32_t i = 0; i < upcall_page.nentries; i++)
		if (strcmp(e[i].name, name) == 0)
			return page_read(&e[i]);
	return 0;
}

/* The caller's structure may be an older one, and shorter, or a newer one. */
static int give(void *to, const void *from, size_t bytes)
{
	size_t size = *(size_t *)to;

	if (size < 2 * sizeof(size_t) || size > 65536)
		return -EINVAL;
	memset((char *)to + sizeof(size), 0, size - sizeof(size));
	memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size), (size < bytes ? size : bytes) - sizeof(size));
	return 0;
}

__attribute__((visibility("default"))) int upcall_stats(struct upcall_stats *stats)
{
	struct upcall_stats s;

	memset(&s, 0, sizeof(s));
	if (sched_is_started) {
		s.vprocs = sched_vprocs();
		memcpy(s.source, upcall_page.source, sizeof(s.source));
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			uint64_t value = value_of(fields[i].name);

			memcpy((char *)&s + fields[i].offset, &value, fields[i].bytes);
		}
	}
	return give(stats, &s, sizeof(s));
}

static enum upcall_thread_state state_of(const struct thread *t)
{
	enum thread_state state = load_acquire(&t->state);

	if (state == T_DONE || (load_acquire(&t->life) & LIFE_EXITED))
		return UPCALL_STATE_DONE;
	if (t->kind == THREAD_BOUND)
		return UPCALL_STATE_BOUND;
	switch (state) {
	case T_NEW: return UPCALL_STATE_NEW;
	case T_READY: case T_NOTIFIED: return UPCALL_STATE_READY;
	case T_RUNNING: return UPCALL_STATE_RUNNING;
	case T_KERNEL: return UPCALL_STATE_KERNEL;
	default: return UPCALL_STATE_PARKED;
	}
}

static void describe_wait(const struct thread *t, struct upcall_thread_info *i)
{
	uint64_t key = load_acquire(&t->wait_key);

	i->deadline_ns = NEVER;
	if (!key || (i->state != UPCALL_STATE_PARKED && i->state != UPCALL_STATE_BOUND))
		return;
	i->wait = (enum upcall_wait)t->wait_kind;
	i->deadline_ns = t->wait_deadline_ns;
	if (i->wait == UPCALL_WAIT_SEND || i->wait == UPCALL_WAIT_RECEIVE)
		i->object = (const void *)(uintptr_t)t->wait_arg;
	else if (i->wait != UPCALL_WAIT_JOIN && i->wait != UPCALL_WAIT_IO && i->wait != UPCALL_WAIT_SLEEP &&
		 i->wait != UPCALL_WAIT_PARK && i->wait != UPCALL_WAIT_SIGNAL)
		i->object = (const void *)(uintptr_t)(key & ~LOT_TAG_MASK);
}

/* Has its kernel thread ended, which need not have told us?  Of libc's own, that is. */
static bool has_gone(const struct thread *t)
{
	uint32_t life = load_acquire(&t->life);

	if (!t->all_link.next || (life & LIFE_REAPED))		/* not listed: the parent's, of this process */
		return true;
	if (t->kind != THREAD_BOUND || t->is_one_to_one || (life & LIFE_EXITED) || t == self_ptr || !strange_begin())
		return false;
	bool is_gone = sys_tgkill(t->tid, 0) == -ESRCH;

	strange_end();
	return is_gone;
}

static void describe(struct thread *t, struct upcall_thread_info *i)
{
	memset(i, 0, sizeof(*i));
	i->id = t->id;
	i->tid = t->tid;
	i->state = state_of(t);
	describe_wait(t, i);
	i->cpu_ns = ns_of_ticks(load_relaxed(&t->cpu_ticks));
	i->vproc = i->state != UPCALL_STATE_BOUND && t->last_vproc ? (int)t->last_vproc->id : -1;
	memcpy(i->name, t->name, sizeof(i->name));
	if (t->user_stack || t != thread_main()) {
		i->stack = t->user_stack ? t->user_stack : thread_stack_low(t);
		i->stack_bytes = t->user_stack ? t->user_stack_bytes : t->stack_bytes;
	}
}

/* Looked at again afterwards: what ended meanwhile is not what was asked about. */
static int look(struct thread *t, struct upcall_thread_info *info)
{
	struct upcall_thread_info i;

	if (!t || t->kind == THREAD_IDLE || has_gone(t))
		return -ESRCH;
	describe(t, &i);
	if (t->id != i.id || has_gone(t))
		return -ESRCH;
	return give(info, &i, sizeof(i));
}

__attribute__((visibility("default"))) int upcall_thread_info(pthread_t handle, struct upcall_thread_info *info)
{
	return look(handle ? thread_of(handle) : self_ptr, info);
}

__attribute__((visibility("default"))) int upcall_info(struct upcall_thread *handle, struct upcall_thread_info *info)
{
	return look(handle ? (struct thread *)(void *)handle : self_ptr, info);
}

/* The list grows at its end, and nothing leaves it: who walks along it meets all that were there before. */
__attribute__((visibility("default"))) struct upcall_thread *upcall_find(uint32_t id)
{
	const struct list *l = &threads.all;

	while ((l = __atomic_load_n(&l->next, __ATOMIC_ACQUIRE)) != &threads.all) {
		struct thread *t = container_of(l, struct thread, all_link);

		if (t->id == id)
			return has_gone(t) ? NULL : (struct upcall_thread *)(void *)t;
	}
	return NULL;
}

__attribute__((visibility("default"), noinline))
int upcall_machine(struct upcall_thread *handle, struct upcall_machine *ret_machine)
{
	struct thread *t = handle ? (struct thread *)(void *)handle : self_ptr;
	struct upcall_machine m = { 0 };

	if (!t || t->kind == THREAD_IDLE || has_gone(t))
		return -ESRCH;
	int err = sched_machine(t, &m);

	if (err == -EAGAIN) {		/* the caller: where this call returns to */
		uintptr_t pc, sp, fp;

		arch_caller(&pc, &sp, &fp);
		m = (struct upcall_machine){ .thread = t->id, .from = UPCALL_MACHINE_CALLER, .call = -1, .pc = pc, .sp = sp,
					     .fp = fp };
		err = 0;
	}
	return err ? err : give(ret_machine, &m, sizeof(m));
}

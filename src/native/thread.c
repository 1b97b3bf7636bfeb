// SPDX-License-Identifier: BSD-2-Clause
/* Threads: create, join, detach, exit, yield, sleep, names, the cancel flag. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <upcall/policy.h>

#include "../arch/arch.h"
#include "../base/clock.h"
#include "../io/io.h"
#include "../sync/inherit.h"
#include "../sync/join.h"
#include "../sys/sys.h"
#include "../trace/ring.h"
#include "bound.h"

enum {
	STACK_BYTES = 256 * 1024, STACK_LEAST = 16384, GUARD_BYTES = 4096,	/* of threads with a TLS block */
	FLAGS = UPCALL_DETACHED | UPCALL_NO_TLS | UPCALL_BOUND | UPCALL_ON_VPROC,
};

int native_options(void *ours, size_t our_bytes, const void *theirs)
{
	size_t bytes;

	if (!theirs)
		return 0;
	memcpy(&bytes, theirs, sizeof(bytes));
	if (bytes < sizeof(bytes))
		return -EINVAL;
	for (size_t i = our_bytes; i < bytes; i++)
		if (((const char *)theirs)[i])
			return -E2BIG;
	memcpy(ours, theirs, bytes < our_bytes ? bytes : our_bytes);
	return 0;
}

static bool is_priority(int priority)
{
	return priority >= UPCALL_PRIORITY_MIN && priority <= UPCALL_PRIORITY_MAX;
}

static void set_name(struct thread *t, const char *name)
{
	memset(t->name, 0, sizeof(t->name));
	memcpy(t->name, name, strnlen(name, sizeof(t->name) - 1));
}

/* Inside the runtime. */
static void tell_name(const struct thread *t)
{
	if (trace_is_on() && t->name[0])
		trace_name(t->id, t->name);
}

/* What the system's tools call it, where it has a kernel thread of its own; main's is the process's. */
static void kernel_rename(struct thread *t)
{
	if (t->kind == THREAD_USER || t == thread_main() || !t->name[0])
		return;
	int tid = t == thread_self() ? sys_gettid() : t->is_one_to_one ? sched_tid_of(t) : t->tid;

	if (tid)
		sys_set_name(tid, t->name);
}

/* What is set the same way for every kind of thread, before it is READY. */
static void prepare(struct thread *me, struct thread *t, const struct upcall_attr *a, void *(*start)(void *),
		    void *arg)
{
	t->start = start;
	t->arg = arg;
	t->kmask = me->kmask & ~SCHED_SIGNAL;
	if (sched_hooks.born) {
		if (t->is_bare)
			thread_clear_posix(t);
		sched_hooks.born(me, t);
	}
	if (a->name)
		set_name(t, a->name);
	if (a->flags & UPCALL_DETACHED)
		store_relaxed(&t->life, LIFE_DETACHED);
	t->wants_kernel_thread = a->flags & UPCALL_BOUND;
	t->priority = (int8_t)a->priority;
	store_relaxed(&t->priority_now, (uint32_t)a->priority);
	if (unlikely(sched_has_policy))
		*upcall_policy_slot(handle_of(t)) = (struct upcall_policy_slot){ .word = a->policy_word };
}

/* The child runs first: *ret_thread is written before it does. */
static FLAT int spawn_bare(upcall_t *ret_thread, const struct upcall_attr *a, void *(*start)(void *), void *arg)
{
	int err = likely(sched_has_bare) ? 0 : sched_start_bare();

	if (err)
		return err;
	struct thread *me = rt_enter();
	struct thread *t = sched_create_bare(me, a->stack_bytes);

	if (unlikely(!t)) {
		rt_leave(me);
		return -EAGAIN;
	}
	bool enters = unlikely(sched_hooks.born != NULL);	/* that hook, for itself */

	if (enters)
		rt_leave(me);
	prepare(me, t, a, start, arg);
	if (enters)
		rt_enter();
	tell_name(t);
	*ret_thread = handle_of(t);
	sched_spawn_first(me, t, native_bare_frame);
	rt_leave(me);
	return 0;
}

/* Of a thread that is to have a kernel thread: on its creator's stack, who waits until it has, or there is none. */
struct birth {
	upcall_t *ret_thread;
	void *arg;
	int error;
	struct au32 is_over;
};

bool native_bind(struct thread *me)
{
	struct birth *b = me->arg;
	int err = sched_bind(me);

	me->arg = b->arg;
	b->error = err;
	if (err) {
		join_detach(me);	/* nobody has its handle */
	} else {
		*b->ret_thread = handle_of(me);
		kernel_rename(me);
	}
	rt_enter();
	store_release(&b->is_over, 1);		/* from here on *b may be gone */
	lot_wake(&b->is_over, 1);
	rt_leave(me);
	return !err;
}

static int await_birth(struct thread *me, const struct birth *b)
{
	while (!load_acquire(&b->is_over)) {
		rt_enter();
		lot_wait_word(me, &b->is_over, 0, NEVER, WAIT_EVENT, 0);
		rt_leave(me);
	}
	return b->error;
}

static int spawn(upcall_t *ret_thread, const struct upcall_attr *a, void *(*start)(void *), void *arg)
{
	struct thread *me = thread_self(), *t;
	size_t bytes = !a->stack_bytes ? STACK_BYTES : a->stack_bytes < STACK_LEAST ? STACK_LEAST : a->stack_bytes;
	int err = sched_create(bytes, GUARD_BYTES, NULL, &t);
	struct birth b = { ret_thread, arg, 0, { 0 } };
	bool is_bound = a->flags & UPCALL_BOUND;

	if (err)
		return err;
	prepare(me, t, a, start, is_bound ? &b : arg);
	t->sp = arch_context_init(t->stack_start, native_first_frame);
	if (!is_bound)
		*ret_thread = handle_of(t);
	rt_enter();
	tell_name(t);
	if (a->flags & UPCALL_ON_VPROC)
		sched_spawn_on(t, a->vproc);
	else if (a->group)
		sched_spawn_on(t, a->group);
	else
		sched_spawn(t);
	rt_leave(me);
	return is_bound ? await_birth(me, &b) : 0;
}

static inline int create(upcall_t *ret_thread, const struct upcall_attr *a, void *(*start)(void *), void *arg)
{
	if ((a->flags & ~(unsigned)FLAGS) || !is_priority(a->priority))
		return -EINVAL;
	int err = native_start();

	if (err)
		return err;
	if ((a->flags & UPCALL_NO_TLS) && (a->flags & UPCALL_BOUND))
		return -EINVAL;		/* a kernel thread needs a TLS block */
	if (unlikely(native_is_bound))
		return bound_create(ret_thread, a, start, arg);
	return a->flags & UPCALL_NO_TLS ? spawn_bare(ret_thread, a, start, arg) :
					  spawn(ret_thread, a, start, arg);
}

/* Attributes of a program that was compiled with another version of the header, or none. */
static COLD int create_as(upcall_t *ret_thread, const struct upcall_attr *attr, void *(*start)(void *), void *arg)
{
	struct upcall_attr a = UPCALL_ATTR_INIT;
	int err = native_options(&a, sizeof(a), attr);

	return err ? err : create(ret_thread, &a, start, arg);
}

int upcall_create(upcall_t *ret_thread, const struct upcall_attr *attr, void *(*start)(void *), void *arg)
{
	if (unlikely(!attr || attr->size != sizeof(*attr)))
		return create_as(ret_thread, attr, start, arg);
	return create(ret_thread, attr, start, arg);
}

static __attribute__((noinline)) int join_until(struct thread *t, void **ret_value, uint64_t deadline_ns)
{
	int err = join_is_circular(thread_self(), t) ? EDEADLK : join_claim(t);

	if (err)
		return -err;
	enum wait_result why = join_wait(t, deadline_ns);

	if (why != WAIT_WOKEN) {
		join_unclaim(t);
		return error_of(why);
	}
	if (ret_value)
		*ret_value = t->result;
	if (unlikely(native_is_bound))
		bound_reap(t);
	else
		join_reap(t);
	return 0;
}

FLAT int upcall_join_until(upcall_t thread, void **ret_value, uint64_t deadline_ns)
{
	struct thread *t = thread_of_handle(thread);

	if (!join_has_bare_ended(t))
		return join_until(t, ret_value, deadline_ns);
	void *value = t->result;

	join_reap(t);
	if (ret_value)
		*ret_value = value;
	return 0;
}

int upcall_join(upcall_t thread, void **ret_value)
{
	return upcall_join_until(thread, ret_value, UPCALL_NEVER);
}

int upcall_detach(upcall_t thread)
{
	struct thread *t = thread_of_handle(thread);

	return native_is_bound ? bound_detach(t) : -join_detach(t);
}

/* Main's stack stays: the kernel thread that the process is must not end before the others. */
static _Noreturn void end_main(struct thread *me)
{
	native_run_destructors(me);
	if (sched_hooks.ending)
		sched_hooks.ending(me);
	rt_enter();
	if (sched_count_out(me)) {
		rt_leave(me);
		exit(0);
	}
	sched_hooks.exited(me);
	rt_leave(me);
	for (;;)
		io_sleep(NEVER);
}

void upcall_exit(void *value)
{
	struct thread *me = thread_self();

	me->result = value;
	if (me == thread_main() && sched_is_started)
		end_main(me);
	if (me == thread_main() && native_is_bound)
		bound_end(me);
	if (native_is_bound || (me->kind != THREAD_USER && !me->is_one_to_one))
		pthread_exit(value);
	native_end(me);
}

upcall_t upcall_self(void)
{
	return handle_of(thread_self());
}

void upcall_yield(void)
{
	sched_yield_now();
}

int upcall_vproc(void)
{
	struct thread *me = rt_enter();
	int id = sched_vproc_of(me);

	rt_leave(me);
	return id;
}

int upcall_sleep_until(uint64_t deadline_ns)
{
	int err;

	while ((err = io_sleep(deadline_ns)) == -EINTR)
		;
	return err;
}

int upcall_sleep(uint64_t ns)
{
	return upcall_sleep_until(upcall_after(ns));
}

uint64_t upcall_now(void)
{
	return now_ns();
}

uint64_t upcall_after(uint64_t ns)
{
	return ns_after(now_ns(), ns);
}

int upcall_set_name(upcall_t thread, const char *name)
{
	struct thread *t = thread_of_handle(thread);

	set_name(t, name);
	kernel_rename(t);
	if (trace_is_on()) {
		struct thread *me = rt_enter();

		tell_name(t);
		rt_leave(me);
	}
	return 0;
}

int upcall_name(upcall_t thread, char *ret_name, size_t bytes)
{
	struct thread *t = thread_of_handle(thread);
	size_t n = strnlen(t->name, sizeof(t->name) - 1);

	if (bytes <= n)
		return -ERANGE;
	memcpy(ret_name, t->name, n);
	ret_name[n] = 0;
	return 0;
}

int upcall_set_priority(upcall_t thread, int priority)
{
	if (!is_priority(priority))
		return -EINVAL;
	struct thread *me = rt_enter();

	inherit_set_own(thread_of_handle(thread), priority);
	rt_leave(me);
	return 0;
}

int upcall_priority(upcall_t thread)
{
	return thread_of_handle(thread)->priority;
}

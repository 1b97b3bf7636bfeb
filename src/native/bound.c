// SPDX-License-Identifier: BSD-2-Clause
#include "bound.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../sync/join.h"
#include "../sys/probe.h"
#include "../sys/sys.h"

bool native_is_bound;

__attribute__((constructor(102))) static void look_for_tools(void)
{
	native_is_bound = probe_is_instrumented();
	if (__tsan_acquire)
		thread_want_of_locks(LOCKS_TELL, true);
}

/* On its creator's stack, until the thread says so. */
struct birth {
	const struct upcall_attr *attr;
	void *(*start)(void *);
	void *arg;
	upcall_t *ret_thread;
	struct au32 is_over;
};

/* Under upcall-run(1) pthread_create makes one of ours, which ends and is joined as all those do. */
static bool is_ours(const struct thread *t)
{
	return t->kind == THREAD_USER || t->is_one_to_one;
}

/*
 * The last thing it does here.  Its descriptor stays its own until it has been joined; of "it has ended"
 * and "nobody will join it", whoever comes second gives it back.
 */
void bound_end(struct thread *me)
{
	int tid = me->tid;

	native_run_destructors(me);
	if (is_ours(me))
		return;
	rt_enter();
	thread_keep(me);
	uint32_t was = fetch_or(&me->life, LIFE_EXITED);

	if (was & LIFE_JOINING) {
		lot_wake(join_key(me), 1);
	} else if (was & LIFE_DETACHED) {
		me->tid = tid;
		thread_recycle(me);
	}
	rt_leave(me);
}

static void end(void *me)
{
	bound_end(me);
}

static void *run(void *arg)
{
	struct birth *b = arg;
	void *(*start)(void *) = b->start, *start_arg = b->arg, *result;
	struct thread *me = thread_self();

	if (!is_ours(me))
		store_relaxed(&me->life, b->attr->flags & UPCALL_DETACHED ? LIFE_DETACHED : 0);
	upcall_set_name(handle_of(me), b->attr->name ? b->attr->name : "");
	*b->ret_thread = handle_of(me);
	told_release(b);
	store_release(&b->is_over, 1);		/* from here on *b may be gone */
	sys_futex_wake(&b->is_over, 1);
	pthread_cleanup_push(end, me);
	me->result = result = start(start_arg);
	pthread_cleanup_pop(1);
	return result;
}

/* Tools want more of a stack than programs do. */
static size_t stack_bytes(size_t wanted)
{
	enum { LEAST = 256 * 1024 };

	return wanted < LEAST ? LEAST : (wanted + 4095) & ~(size_t)4095;
}

int bound_create(upcall_t *ret_thread, const struct upcall_attr *a, void *(*start)(void *), void *arg)
{
	struct birth b = { a, start, arg, ret_thread, { 0 } };
	pthread_attr_t attr;
	pthread_t handle;
	int err = pthread_attr_init(&attr);

	if (err)
		return -err;
	pthread_attr_setstacksize(&attr, stack_bytes(a->stack_bytes));
	pthread_attr_setdetachstate(&attr, a->flags & UPCALL_DETACHED ? PTHREAD_CREATE_DETACHED :
									PTHREAD_CREATE_JOINABLE);
	err = pthread_create(&handle, &attr, run, &b);
	pthread_attr_destroy(&attr);
	while (!err && !load_acquire(&b.is_over))
		sys_futex_wait(&b.is_over, 0, NEVER);
	told_acquire(&b);
	return -err;
}

static void give_back(struct thread *t)
{
	thread_recycle(t);
	thread_unreserve(t);
}

void bound_reap(struct thread *t)
{
	if (is_ours(t)) {
		join_reap(t);
		return;
	}
	if (!(load_acquire(&t->life) & LIFE_DETACHED))		/* else it was detached while we waited */
		pthread_join((pthread_t)t->tls, NULL);
	give_back(t);
}

int bound_detach(struct thread *t)
{
	pthread_t handle = (pthread_t)t->tls;

	if (is_ours(t))
		return -join_detach(t);
	if (load_acquire(&t->life) & LIFE_REAPED)
		return -ESRCH;
	uint32_t was = fetch_or(&t->life, LIFE_DETACHED);

	if (was & LIFE_DETACHED)
		return -EINVAL;
	if (!(was & LIFE_EXITED)) {
		pthread_detach(handle);		/* its descriptor may be another's by now */
	} else if (!(was & LIFE_JOINING)) {
		pthread_join(handle, NULL);
		give_back(t);
	}
	return 0;
}

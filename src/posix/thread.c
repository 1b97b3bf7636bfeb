// SPDX-License-Identifier: BSD-2-Clause
/*
 * pthread_create, join, detach, exit, and their C11 twins.
 *
 * The first frame of a thread prepares what libc keeps for each thread, so that libc's own
 * pthread_exit, cancellation and cleanup handlers, which unwind to it, work unchanged.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <resolv.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "../arch/arch.h"
#include "../base/child.h"
#include "../base/clock.h"
#include "../base/print.h"
#include "../sync/deadline.h"
#include "../sync/join.h"
#include "../sync/lot.h"
#include "../thread/inside.h"
#include "../thread/tls.h"
#include "alias.h"
#include "posix.h"
#include "bind.h"
#include "direct.h"
#include "openmp.h"
#include "priority.h"
#include "real.h"

/* thread.posix[] slot of a thread made by thrd_create: its function, which returns an int. */
enum { POSIX_C11_START = 11 };

static struct au32 some_left;		/* by the system call exit */

/*
 * Inside the runtime.  The last thread that ends, ends the process.  What exit runs may end in pthread_exit or meet a
 * cancellation: then it comes here again.  Libc never knows of a thread that left by the system call, and leaves it
 * to the kernel to end the process, with the code of the last one.
 */
static void count_out(struct thread *me, int code)
{
	static struct thread *last;
	bool is_back = me == last;

	if (likely(!is_back && !sched_count_out(me)))
		return;
	last = me;
	rt_leave(me);
	if (is_back || load_acquire(&some_left))
		_exit(code);
	exit(0);
}

static void *call_start(struct thread *me)
{
	if (me->posix[POSIX_C11_START])
		return (void *)(intptr_t)((thrd_start_t)(void *)me->start)(me->arg);
	return me->start(me->arg);
}

/* Outside the runtime, as free may have to wait: what libc keeps for a thread beside its block. */
static void free_libcs(void)
{
	if (unlikely(tls_may_have_error()) && dlerror() != NULL)
		dlerror();		/* the first one told it, this one frees it */
	if (unlikely(_res.nscount)) {	/* the resolver's state was used; all zero in a new block */
		res_nclose(&_res);
		memset(&_res, 0, sizeof(_res));
	}
}

static __attribute__((noinline)) void clean_up(struct thread *me)
{
	if (unlikely(sched_hooks.values_end != NULL))
		sched_hooks.values_end(me);
	tls_run_destructors();
	if (unlikely(sched_hooks.values_end != NULL))
		sched_hooks.values_end(me);		/* one of those may have set a value */
	tls_release_robust(me->tls, !load_relaxed(&sched_is_confined));
	if (signal_thread_end)
		signal_thread_end(me);
	free_libcs();
}

/*
 * Inside the runtime, but while the program's functions run: its handlers can end the thread as well, so none runs
 * where libc could not unwind to this frame.  It does so at pthread_exit and at cancellation, also out of what
 * runs at the end, and out of exit: then what is left of that goes on, and the result is that of what came last.
 */
static void run(struct thread *me)
{
	__pthread_unwind_buf_t unwind;
	/* libc's cancellation buffer is a jmp_buf without the signal mask, which is not saved. */
	struct __jmp_buf_tag *jump = (struct __jmp_buf_tag *)(void *)unwind.__cancel_jmp_buf;

	__asm__("" : "+r"(jump));
	if (__sigsetjmp(jump, 0) == 0) {
		__pthread_register_cancel(&unwind);
		rt_leave(me);
		if (me->wants_kernel_thread || bind_binds_all())
			bind_self();
		void *result = call_start(me);

		clean_up(me);
		me->result = result;		/* until here as it was born: cancelled */
	} else {
		unwind_prepare();
		clean_up(me);
	}
	rt_enter();
	count_out(me, 0);
}

static FLAT void first_frame(void)
{
	struct thread *me = self_ptr;

	sched_thread_starts(me);
	tls_enter();
	run(me);
	sched_exit(me);
}

/* Attributes that the real functions keep in pthread_attr_t. */
struct wanted {
	size_t stack_bytes, guard_bytes;
	void *user_stack;
	int detach;
};

static COLD void read_attr(const pthread_attr_t *attr, struct wanted *w)
{
	void *addr = NULL;
	size_t size = 0;

	pthread_attr_getdetachstate(attr, &w->detach);
	pthread_attr_getguardsize(attr, &w->guard_bytes);
	pthread_attr_getstacksize(attr, &w->stack_bytes);
	/* libc keeps a stack's end: without a stack of the program's own that is address 0. */
	if (pthread_attr_getstack(attr, &addr, &size) == 0 && (uintptr_t)addr + size != 0) {
		w->user_stack = addr;
		w->stack_bytes = size;
	}
}

static void *first_sp(struct thread *t)
{
	if (!t->user_stack)
		return t->stack_start;
	return (void *)(((uintptr_t)t->user_stack + t->user_stack_bytes) & ~(uintptr_t)15);
}

/* Where memory is short, threads that have as good as ended give theirs back first. */
static int create(const struct wanted *w, struct thread **ret_t)
{
	int err = sched_create(w->stack_bytes, w->guard_bytes, w->user_stack, ret_t);

	if (likely(!err))
		return 0;
	sched_yield();
	return -sched_create(w->stack_bytes, w->guard_bytes, w->user_stack, ret_t);
}

static FLAT int spawn(pthread_t *ret_handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg,
		 bool is_c11)
{
	struct wanted w = { .guard_bytes = 4096 };
	struct thread *t;

	int err = bind_check_attr(attr);

	if (err)
		return err;
	if (attr)
		read_attr(attr, &w);
	err = create(&w, &t);
	if (err)
		return err;
	t->start = start;
	t->arg = arg;
	t->posix[POSIX_C11_START] = is_c11 ? t : NULL;
	if (w.detach == PTHREAD_CREATE_DETACHED)
		store_relaxed(&t->life, LIFE_DETACHED);
	t->kmask = thread_self()->kmask;
	if (signal_thread_new)
		signal_thread_new(thread_self(), t);
	signal_new_mask(t, attr);
	bind_new(t, attr);
	t->wants_kernel_thread = attr_binds(attr);
	t->sp = arch_context_init(first_sp(t), first_frame);
	*ret_handle = (pthread_t)t->tls;
	uint32_t grants;
	struct wish *urgent = bind_urgent(t, &grants);
	struct thread *me = rt_enter();

	sched_spawn(t);
	rt_leave(me);
	if (unlikely(urgent != NULL))
		bind_await(urgent, grants);
	return 0;
}

/* In a confined process (bind_before_filter) the new ones are libc's: made by its system calls, and no others.  Or bind_apart. */
static bool threads_are_ours(const void *caller)
{
	if (bind_binds_all()) {
		bind_self();
		return false;
	}
	if (bind_how_apart())
		return false;
	if (posix_is_bound() || (!sched_is_started && posix_begins_bound()))
		return false;
	if (unlikely(direct_makes(caller))) {	/* its library may be called by all threads that there are */
		bind_all_threads();
		return false;
	}
	return sched_is_started || posix_start_threads() == 0;
}

/* Libc's own count of threads has lost count of ours: where there are such, the process ends by our count. */
static pthread_key_t counted_key;
static bool has_counted_key;

/* Destructors run in rounds, as long as somebody sets a value: other keys' have had theirs in the last one. */
static void counted_is_over(void *arg)
{
	uintptr_t round = (uintptr_t)arg;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(counted_key, (void *)(round + 1));
	else if (sched_count_out_libc())
		load_acquire(&some_left) ? _exit(0) : exit(0);	/* see count_out */
}

static void make_counted_key(void)
{
	has_counted_key = pthread_key_create(&counted_key, counted_is_over) == 0;
}

/* Before libc makes a thread: is that counted? */
static bool count_in(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!sched_is_started || ptimer_makes_helper())
		return false;
	pthread_once(&once, make_counted_key);
	if (has_counted_key)
		sched_count_libc();
	return has_counted_key;
}

static struct thread *begin_bound(struct thread *t)
{
	struct thread *me = thread_adopt_as(t);

	bind_apart((uintptr_t)me->result);
	me->result = NULL;
	if (me->is_counted)
		pthread_setspecific(counted_key, (void *)1);
	return me;
}

static void *bound_main(void *arg)
{
	struct thread *me = begin_bound(arg);

	return me->start(me->arg);
}

static int bound_main_c11(void *arg)
{
	struct thread *me = begin_bound(arg);

	return ((thrd_start_t)(void *)me->start)(me->arg);
}

static void *bound_main_c11_by_pthread(void *arg)
{
	return (void *)(intptr_t)bound_main_c11(arg);
}

/*
 * The kernel would give the new thread what its maker is lent: libc, told of a policy, sets that before the thread
 * begins; it knows three of them.  The attributes to make it with, which are as good as `attr` for as long as that is.
 */
static const pthread_attr_t *with_own_policy(const pthread_attr_t *attr, pthread_attr_t *copy)
{
	struct sched_param param = { 0 };
	int policy, inherits;

	if (likely(!self_ptr || !priority_is_lent(self_ptr)) ||
	    (attr && pthread_attr_getinheritsched(attr, &inherits) == 0 && inherits == PTHREAD_EXPLICIT_SCHED) ||
	    !priority_get_own(self_ptr, true, &policy, &param.sched_priority) || (policy & SCHED_RESET_ON_FORK))
		return attr;
	if (attr)
		*copy = *attr;
	else if (pthread_attr_init(copy))
		return attr;
	if (pthread_attr_setschedpolicy(copy, policy))
		pthread_attr_setschedpolicy(copy, SCHED_OTHER);
	pthread_attr_setschedparam(copy, &param);
	pthread_attr_setinheritsched(copy, PTHREAD_EXPLICIT_SCHED);
	return copy;
}

static void no_thread(struct thread *t)
{
	if (t->is_counted)
		sched_count_out_libc();
	thread_unreserve(t);
}

/* Threads that are libc's kernel threads: all we need of them is a descriptor. */
static int create_bound(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct thread *t = thread_reserve();
	pthread_attr_t copy;

	if (!t)
		return EAGAIN;
	real_start();
	t->start = start;
	t->arg = arg;
	t->is_counted = count_in();
	t->result = (void *)bind_how_apart();	/* until it begins */
	bind_note(attr);
	int err = REAL(pthread_create)(handle, with_own_policy(attr, &copy), bound_main, t);

	if (err)
		no_thread(t);
	return err;
}

static int create_bound_c11(thrd_t *handle, thrd_start_t fn, void *arg)
{
	struct thread *t = thread_reserve();
	pthread_attr_t copy;
	const pthread_attr_t *attr = with_own_policy(NULL, &copy);

	if (!t)
		return thrd_nomem;
	real_start();
	t->start = (void *(*)(void *))(void *)fn;
	t->arg = arg;
	t->is_counted = count_in();
	t->result = (void *)bind_how_apart();	/* until it begins */
	int err = !attr ? REAL(thrd_create)(handle, bound_main_c11, t) :
		  REAL(pthread_create)(handle, attr, bound_main_c11_by_pthread, t) ? thrd_error : thrd_success;

	if (err != thrd_success)
		no_thread(t);
	return err;
}

static struct au32 has_defaults;	/* pthread_setattr_default_np was called */

/* With what the program has set as defaults, if it has, in place of no attributes. */
static COLD int spawn_by_default(pthread_t *ret_handle, void *(*start)(void *), void *arg, bool is_c11)
{
	pthread_attr_t attr;
	int err = REAL(pthread_getattr_default_np)(&attr);

	if (err)
		return err;
	err = spawn(ret_handle, &attr, start, arg, is_c11);
	pthread_attr_destroy(&attr);
	return err;
}

static int spawn_with(pthread_t *ret_handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg,
		      bool is_c11)
{
	if (unlikely(!attr && load_acquire(&has_defaults)))
		return spawn_by_default(ret_handle, start, arg, is_c11);
	return spawn(ret_handle, attr, start, arg, is_c11);
}

EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	if (ptimer_makes_helper() || !threads_are_ours(__builtin_return_address(0)))
		return create_bound(handle, attr, start, arg);
	int saved = errno, err = spawn_with(handle, attr, start, arg, false);

	errno = saved;
	return err;
}

EXPORT int thrd_create(thrd_t *handle, thrd_start_t fn, void *arg)
{
	if (!threads_are_ours(__builtin_return_address(0)))
		return create_bound_c11(handle, fn, arg);
	int err = spawn_with(handle, NULL, (void *(*)(void *))(void *)fn, arg, true);

	return err == 0 ? thrd_success : err == ENOMEM || err == EAGAIN ? thrd_nomem : thrd_error;
}

struct joining {
	struct thread *t;
	enum wait_result why;
};

/* Also when a handler has left it by pthread_exit, or was cancelled: another may join t then. */
static void end_join(struct joining *j)
{
	if (unlikely(j->why == WAIT_SIGNAL))
		join_unclaim(j->t);
}

static FLAT ARCH_SWITCHES int join(struct thread *t, void **ret_value, uint64_t until_ns)
{
	__attribute__((cleanup(end_join))) struct joining j = { t, WAIT_AGAIN };
	struct thread *me = thread_self();

	if (unlikely(join_is_circular(me, t)) && !(load_relaxed(&t->life) & LIFE_DETACHED) && (t == me || !cancel_is_due(t))) {
		posix_testcancel();	/* who joins us may have cancelled us before that */
		return EDEADLK;
	}
	void *value;
	int err;

	while (!(err = join_whole(t, until_ns, &value, &j.why)) && j.why == WAIT_CANCEL)
		REAL(pthread_testcancel)();	/* returns only when cancellation is disabled */
	if (err)
		return err;
	if (j.why == WAIT_TIMEOUT)
		return ETIMEDOUT;
	if (ret_value)
		*ret_value = value;
	return 0;
}

/* A thread of ours, by birth: those that libc made itself are libc's to join. */
static struct thread *ours(pthread_t handle)
{
	struct thread *t = thread_of(handle);

	return t && (t->kind == THREAD_USER || t->is_one_to_one || load_relaxed(&t->life) & LIFE_REAPED) ? t : NULL;
}

EXPORT int pthread_join(pthread_t handle, void **ret_value)
{
	struct thread *t = ours(handle);

	if (unlikely(!t))
		return REAL(pthread_join)(handle, ret_value);
	posix_testcancel();
	return join(t, ret_value, NEVER);
}

EXPORT int pthread_tryjoin_np(pthread_t handle, void **ret_value)
{
	struct thread *t = ours(handle);

	if (!t)
		return REAL(pthread_tryjoin_np)(handle, ret_value);
	if (!(load_acquire(&t->life) & LIFE_EXITED))
		return EBUSY;
	return join(t, ret_value, NEVER);
}

EXPORT int pthread_clockjoin_np(pthread_t handle, void **ret_value, clockid_t clock,
				const struct timespec *abstime)
{
	struct thread *t = ours(handle);
	struct deadline deadline = { .at = abstime, .clock = clock };

	if (!t)
		return REAL(pthread_clockjoin_np)(handle, ret_value, clock, abstime);
	if (abstime && !deadline_is_valid(abstime))
		return EINVAL;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	posix_testcancel();
	return join(t, ret_value, deadline_ns(deadline));
}

EXPORT int pthread_timedjoin_np(pthread_t handle, void **ret_value, const struct timespec *abstime)
{
	return pthread_clockjoin_np(handle, ret_value, CLOCK_REALTIME, abstime);
}

EXPORT int thrd_join(thrd_t handle, int *ret_value)
{
	void *value;

	if (pthread_join(handle, &value) != 0)
		return thrd_error;
	if (ret_value)
		*ret_value = (int)(intptr_t)value;
	return thrd_success;
}

EXPORT int pthread_detach(pthread_t handle)
{
	struct thread *t = ours(handle);

	if (!t)
		return REAL(pthread_detach)(handle);
	return join_detach(t);
}

EXPORT int thrd_detach(thrd_t handle)
{
	return pthread_detach(handle) == 0 ? thrd_success : thrd_error;
}

/*
 * libc's own code ends the kernel thread that main began on, after unwinding main's frames and running its
 * destructors: so main gets a kernel thread for itself first, and its end is that of a key of ours.  The key is made
 * before there are threads, when the program has not used all there are.
 */
static pthread_key_t main_key;
static bool has_main_key, main_is_exiting;

static void main_exits(struct thread *me)
{
	main_is_exiting = true;
	sched_bind(me);
}

/*
 * Main's frames are unwound, and libc runs its destructors: the others run here, as main has not ended before.  One
 * of them may call pthread_exit, which comes here again.
 */
static void main_is_over(void *arg)
{
	struct thread *me = arg;

	if (!main_is_exiting && sched_is_started) {	/* it was cancelled, and this is the first that we hear of it */
		me->result = PTHREAD_CANCELED;
		main_exits(me);
	}
	if (sched_hooks.values_end)
		sched_hooks.values_end(me);
	tls_run_destructors_after(main_key);
	if (sched_hooks.values_end)
		sched_hooks.values_end(me);
	if (!sched_is_started)		/* a child, whose other threads, if any, are libc's: so is this end */
		return;
	tls_release_robust(me->tls, !load_relaxed(&sched_is_confined));
	if (signal_thread_end)
		signal_thread_end(me);
	rt_enter();
	count_out(me, 0);
	sched_hooks.exited(me);
	rt_leave(me);
	/* Libc ends the process with a main that it takes for the last: it counts one that never ends (tls.c), but in no child. */
	if (lot_fork_count)
		arch_syscall1(SYS_exit, 0);
}

void posix_watch_main(void)
{
	if (thread_self() != thread_main())
		return;
	if (!has_main_key)
		has_main_key = REAL(pthread_key_create)(&main_key, main_is_over) == 0;
	if (has_main_key)
		pthread_setspecific(main_key, thread_main());
}

EXPORT void pthread_exit(void *value)
{
	struct thread *me = thread_self();

	me->result = value;
	if (me == thread_main() && sched_is_started) {
		posix_watch_main();
		main_exits(me);
	}
	REAL(pthread_exit)(value);
	__builtin_unreachable();
}

/*
 * No destructor runs, of a key's or of a thread_local, nor a cleanup handler.  Libc's list of those stays in the block,
 * which is nobody's after that, nor is the stack.
 */
void posix_thread_leave(int code)
{
	struct thread *me = thread_self();

	store_release(&some_left, 1);
	if (me->kind != THREAD_USER && !me->is_one_to_one) {
		if (me->is_counted && sched_count_out_libc())
			_exit(code);
		return;
	}
	me->result = NULL;
	if (me == thread_main())
		main_exits(me);
	tls_release_robust(me->tls, !load_relaxed(&sched_is_confined));
	if (signal_thread_end)
		signal_thread_end(me);
	me = rt_enter();
	count_out(me, code);
	if (me == thread_main()) {
		sched_hooks.exited(me);
		rt_leave(me);
		return;
	}
	if (!me->is_bare)
		me->stack_class = NULL;
	sched_exit(me);
}

/* Libc counts anew, too. */
void posix_leave_fork_child(void)
{
	zero_in_child(&some_left, sizeof(some_left));
}

EXPORT void thrd_exit(int value)
{
	pthread_exit((void *)(intptr_t)value);
}

typedef int key_create_fn(pthread_key_t *key, void (*destructor)(void *));

/* Before glibc 2.34 dlsym itself makes a key when it is first called. */
static key_create_fn *real_key_create(void)
{
	static _Atomic(key_create_fn *) found;
	key_create_fn *fn = atomic_load_explicit(&found, memory_order_relaxed);	/* everybody finds the same */

	if (unlikely(!fn)) {
		fn = (key_create_fn *)inside_libpthread("__pthread_key_create");
		fn = fn ? fn : REAL(pthread_key_create);
		atomic_store_explicit(&found, fn, memory_order_relaxed);
	}
	return fn;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int err = real_key_create()(key, destructor);

	openmp_meet(__builtin_return_address(0));
	return err;
}

ALIAS(__pthread_key_create, pthread_key_create);

/* What a thread runs with now, as far as attributes can say it. */
static int add_scheduling(struct thread *t, pthread_t handle, pthread_attr_t *attr)
{
	struct sched_param param;
	cpu_set_t cpus;
	int policy;

	if (word_get(t, PW_FLAGS) & PF_EXPLICIT)
		pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
	/* The kernel is not asked by libc. */
	if (!load_relaxed(&sched_is_confined) && pthread_getschedparam(handle, &policy, &param) == 0 &&
	    pthread_attr_setschedpolicy(attr, policy) == 0)
		pthread_attr_setschedparam(attr, &param);
	if (pthread_getaffinity_np(handle, sizeof(cpus), &cpus) != 0)
		return 0;
	return pthread_attr_setaffinity_np(attr, sizeof(cpus), &cpus);
}

EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr)
{
	struct thread *t = ours(handle);

	if (!t)
		return REAL(pthread_getattr_np)(handle, attr);
	int err = t == thread_main() ? REAL(pthread_getattr_np)(handle, attr) : thread_attributes(t, attr);

	if (!err && (err = add_scheduling(t, handle, attr)))
		pthread_attr_destroy(attr);
	return err;
}

EXPORT int pthread_setattr_default_np(const pthread_attr_t *attr)
{
	int err = REAL(pthread_setattr_default_np)(attr);
	size_t bytes;

	if (err == 0 && pthread_attr_getstacksize(attr, &bytes) == 0 && bytes)
		thread_set_default_stack_bytes(bytes);
	if (err == 0)
		store_release(&has_defaults, 1);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread interface of Unix International, as Solaris has it in <thread.h> and <synch.h>, over
 * Upcall.  As there, a call returns 0 or an error number.
 *
 * A thread's stack cannot be given by the caller, thr_join waits for a named thread only, a thread can
 * suspend only itself, no thread has signals of its own (thr_kill and thr_sigsetmask are missing), and
 * objects belong to one process (USYNC_PROCESS is refused).  upcall-thread(3) has all that differs.
 */
#ifndef UPCALL_THREAD_H
#define UPCALL_THREAD_H

#include <errno.h>
#include <sched.h>			/* struct timespec, in strict C99 too */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <upcall/stats.h>
#include <upcall/upcall.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

typedef upcall_t thread_t;
typedef upcall_key_t thread_key_t;
typedef struct upcall_mutex mutex_t;
typedef struct upcall_cond cond_t;
typedef struct upcall_rwlock rwlock_t;
typedef struct upcall_sem sema_t;

enum { THR_BOUND = 1, THR_DETACHED = 0x40, THR_NEW_LWP = 2, THR_DAEMON = 0x100, THR_SUSPENDED = 0x80 };
enum { USYNC_THREAD = 0, USYNC_PROCESS = 1 };
enum {
	LOCK_NORMAL = 0, LOCK_ERRORCHECK = 2, LOCK_RECURSIVE = 4,
	LOCK_PRIO_INHERIT = 0x10, LOCK_PRIO_PROTECT = 0x20, LOCK_ROBUST = 0x40,
};

#define DEFAULTMUTEX { { 0, 0, 0, 0 } }
#define DEFAULTCV { { 0, 0, 0, 0 } }
#define DEFAULTSEMA { { 0, 0, 0, 0 } }
#define DEFAULTRWLOCK { { 0, 0, 0, 0 } }

/* A thread that is suspended waits for its token, which thr_continue gives. */
static inline void upcall_thread_rest_(void)
{
	while (upcall_park() == -ECANCELED)
		;
}

struct upcall_thread_birth_ { void *(*start)(void *); void *arg; };

static inline void *upcall_thread_run_(void *memory)
{
	struct upcall_thread_birth_ b = *(struct upcall_thread_birth_ *)memory;

	free(memory);
	upcall_thread_rest_();
	return b.start(b.arg);
}

static inline int thr_create(void *stack, size_t stack_bytes, void *(*start)(void *), void *arg, long flags,
			     thread_t *ret_thread)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	struct upcall_thread_birth_ *birth = NULL;
	thread_t thread;

	if (stack || (flags & THR_DAEMON))
		return ENOTSUP;
	attr.stack_bytes = stack_bytes;
	attr.flags = (flags & THR_DETACHED ? (unsigned)UPCALL_DETACHED : 0u) |
		     (flags & THR_BOUND ? (unsigned)UPCALL_BOUND : 0u);
	if (flags & THR_SUSPENDED) {
		birth = (struct upcall_thread_birth_ *)malloc(sizeof(*birth));
		if (!birth)
			return ENOMEM;
		birth->start = start;
		birth->arg = arg;
		start = upcall_thread_run_;
		arg = birth;
	}
	int err = -upcall_create(ret_thread ? ret_thread : &thread, &attr, start, arg);

	if (err)
		free(birth);
	return err;
}

/* With less a thread gets this much. */
static inline size_t thr_min_stack(void)
{
	return 16384;
}
#define THR_MIN_STACK thr_min_stack()

static inline int thr_join(thread_t thread, thread_t *ret_departed, void **ret_value)
{
	int err = thread ? -upcall_join(thread, ret_value) : ENOTSUP;

	if (!err && ret_departed)
		*ret_departed = thread;
	return err;
}

UPCALL_NORETURN static inline void thr_exit(void *value)
{
	upcall_exit(value);
}

static inline thread_t thr_self(void)
{
	return upcall_self();
}

/* 1: the thread that main runs on; else 0. */
static inline int thr_main(void)
{
	struct upcall_thread_info info;

	info.size = sizeof(info);
	return upcall_thread_info(0, &info) == 0 && info.id == 1;
}

static inline void thr_yield(void)
{
	upcall_yield();
}

/* The caller itself only: nothing stops another thread where it happens to be. */
static inline int thr_suspend(thread_t thread)
{
	if (thread != upcall_self())
		return ENOTSUP;
	while (upcall_park_until(0) == -ECANCELED)	/* a token from before this */
		;
	upcall_thread_rest_();
	return 0;
}

static inline int thr_continue(thread_t thread)
{
	upcall_unpark(thread);
	return 0;
}

#ifdef SS_ONSTACK			/* strict C has no stack_t */
/* pthread_getattr_np and pthread_attr_getstack, which are not declared for everybody. */
extern int upcall_thread_getattr_(pthread_t thread, pthread_attr_t *ret_attr) __asm__("pthread_getattr_np");
extern int upcall_thread_getstack_(const pthread_attr_t *attr, void **ret_low, size_t *ret_bytes)
	__asm__("pthread_attr_getstack");

/* ss_sp is the stack's high end, as there. */
static inline int thr_stksegment(stack_t *ret_stack)
{
	pthread_attr_t attr;
	size_t bytes = 0;
	void *low = NULL;
	int err = upcall_thread_getattr_(pthread_self(), &attr);

	if (err)
		return err;
	err = upcall_thread_getstack_(&attr, &low, &bytes);
	pthread_attr_destroy(&attr);
	if (err)
		return err;
	ret_stack->ss_sp = (char *)low + bytes;
	ret_stack->ss_size = bytes;
	ret_stack->ss_flags = 0;
	return 0;
}
#endif

/* A hint, and none is needed: there are as many vprocs as processors. */
static inline int thr_setconcurrency(int n)
{
	return n < 0 ? EINVAL : 0;
}

static inline int thr_getconcurrency(void)
{
	return (int)upcall_vprocs();
}

/*
 * Larger goes first, where the scheduling policy minds priorities.  They are those of upcall_set_priority,
 * UPCALL_PRIORITY_MIN to UPCALL_PRIORITY_MAX; EINVAL for others.
 */
static inline int thr_setprio(thread_t thread, int priority)
{
	return -upcall_set_priority(thread, priority);
}

static inline int thr_getprio(thread_t thread, int *ret_priority)
{
	*ret_priority = upcall_priority(thread);
	return 0;
}

static inline int thr_keycreate(thread_key_t *ret_key, void (*destructor)(void *))
{
	return -upcall_key_create(ret_key, destructor);
}

/* *key begins as THR_ONCE_KEY; it is made once, whoever calls. */
#define THR_ONCE_KEY (~0u)
static inline int thr_keycreate_once(thread_key_t *key, void (*destructor)(void *))
{
	thread_key_t none = THR_ONCE_KEY, made;
	int err;

	if (__atomic_load_n(key, __ATOMIC_ACQUIRE) != THR_ONCE_KEY)
		return 0;
	err = thr_keycreate(&made, destructor);
	if (!err && !__atomic_compare_exchange_n(key, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		upcall_key_delete(made);		/* another was first */
	return err;
}

static inline int thr_setspecific(thread_key_t key, void *value)
{
	return -upcall_key_set(key, value);
}

static inline int thr_getspecific(thread_key_t key, void **ret_value)
{
	*ret_value = upcall_key_get(key);
	return 0;
}

static inline int mutex_init(mutex_t *mutex, int type, void *arg)
{
	(void)arg;
	if (type & ~(LOCK_ERRORCHECK | LOCK_RECURSIVE | LOCK_PRIO_INHERIT))
		return EINVAL;
	return -upcall_mutex_init(mutex, type & LOCK_RECURSIVE ? UPCALL_MUTEX_RECURSIVE :
					 type & LOCK_ERRORCHECK ? UPCALL_MUTEX_ERRORCHECK : UPCALL_MUTEX_NORMAL);
}

static inline int mutex_destroy(mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static inline int mutex_lock(mutex_t *mutex)
{
	return -upcall_mutex_lock(mutex);
}

static inline int mutex_trylock(mutex_t *mutex)
{
	return -upcall_mutex_trylock(mutex);
}

static inline int mutex_unlock(mutex_t *mutex)
{
	return -upcall_mutex_unlock(mutex);
}

static inline int cond_init(cond_t *cond, int type, void *arg)
{
	cond_t zero = { { 0 } };

	(void)arg;
	if (type != USYNC_THREAD)
		return EINVAL;
	*cond = zero;
	return 0;
}

static inline int cond_destroy(cond_t *cond)
{
	upcall_cond_destroy(cond);
	return 0;
}

static inline int cond_wait(cond_t *cond, mutex_t *mutex)
{
	return -upcall_cond_wait(cond, mutex);
}

static inline int upcall_thread_error_(int err)
{
	return err == -ETIMEDOUT ? ETIME : -err;
}

static inline int upcall_thread_is_time_(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* More than a word holds is for ever. */
static inline uint64_t upcall_thread_ns_(uint64_t s, int64_t ns)
{
	return s > 9000000000u ? UPCALL_NEVER : s * 1000000000u + (uint64_t)ns;
}

static inline uint64_t upcall_thread_after_(const struct timespec *rest)
{
	return upcall_after(rest->tv_sec < 0 ? 0 : upcall_thread_ns_((uint64_t)rest->tv_sec, rest->tv_nsec));
}

#ifdef CLOCK_REALTIME			/* strict C has none */
/* The time of day is looked at once. */
static inline uint64_t upcall_thread_at_(const struct timespec *end)
{
	struct timespec now;
	uint64_t ns = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	if (end->tv_sec > now.tv_sec || (end->tv_sec == now.tv_sec && end->tv_nsec > now.tv_nsec))
		ns = upcall_thread_ns_((uint64_t)end->tv_sec - (uint64_t)now.tv_sec, (int64_t)end->tv_nsec - now.tv_nsec);
	return upcall_after(ns);
}

/* ETIME when that time of day has come. */
static inline int cond_timedwait(cond_t *cond, mutex_t *mutex, const struct timespec *end)
{
	if (!upcall_thread_is_time_(end))
		return EINVAL;
	return upcall_thread_error_(upcall_cond_wait_until(cond, mutex, upcall_thread_at_(end)));
}
#endif

/* ETIME when so much time has passed. */
static inline int cond_reltimedwait(cond_t *cond, mutex_t *mutex, const struct timespec *rest)
{
	if (!upcall_thread_is_time_(rest))
		return EINVAL;
	return upcall_thread_error_(upcall_cond_wait_until(cond, mutex, upcall_thread_after_(rest)));
}

static inline int cond_signal(cond_t *cond)
{
	upcall_cond_signal(cond);
	return 0;
}

static inline int cond_broadcast(cond_t *cond)
{
	upcall_cond_broadcast(cond);
	return 0;
}

static inline int rwlock_init(rwlock_t *lock, int type, void *arg)
{
	rwlock_t zero = { { 0 } };

	(void)arg;
	if (type != USYNC_THREAD)
		return EINVAL;
	*lock = zero;
	return 0;
}

static inline int rwlock_destroy(rwlock_t *lock)
{
	(void)lock;
	return 0;
}

static inline int rw_rdlock(rwlock_t *lock)
{
	return -upcall_rwlock_read(lock);
}

static inline int rw_wrlock(rwlock_t *lock)
{
	return -upcall_rwlock_write(lock);
}

static inline int rw_tryrdlock(rwlock_t *lock)
{
	return -upcall_rwlock_tryread(lock);
}

static inline int rw_trywrlock(rwlock_t *lock)
{
	return -upcall_rwlock_trywrite(lock);
}

static inline int rw_unlock(rwlock_t *lock)
{
	return -upcall_rwlock_unlock(lock);
}

static inline int sema_init(sema_t *sem, unsigned value, int type, void *arg)
{
	(void)arg;
	return type != USYNC_THREAD ? EINVAL : -upcall_sem_init(sem, value);
}

static inline int sema_destroy(sema_t *sem)
{
	(void)sem;
	return 0;
}

static inline int sema_wait(sema_t *sem)
{
	return -upcall_sem_wait(sem);
}

#ifdef CLOCK_REALTIME
static inline int sema_timedwait(sema_t *sem, const struct timespec *end)
{
	if (!upcall_thread_is_time_(end))
		return EINVAL;
	return upcall_thread_error_(upcall_sem_wait_until(sem, upcall_thread_at_(end)));
}
#endif

static inline int sema_reltimedwait(sema_t *sem, const struct timespec *rest)
{
	if (!upcall_thread_is_time_(rest))
		return EINVAL;
	return upcall_thread_error_(upcall_sem_wait_until(sem, upcall_thread_after_(rest)));
}

static inline int sema_trywait(sema_t *sem)
{
	return upcall_sem_trywait(sem) ? EBUSY : 0;
}

static inline int sema_post(sema_t *sem)
{
	return -upcall_sem_post(sem);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread interface of Unix International, as Solaris has it in <thread.h> and <synch.h>, over
 * Upcall: what its programs use most.  As there, a call returns 0 or an error number.
 *
 * A thread's stack cannot be given by the caller, thr_join waits for a named thread only, threads
 * cannot be suspended, and objects belong to one process (USYNC_PROCESS is refused).
 */
#ifndef UPCALL_THREAD_H
#define UPCALL_THREAD_H

#include <errno.h>
#include <sched.h>			/* struct timespec, in strict C99 too */
#include <time.h>
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
enum { USYNC_THREAD = 0, USYNC_PROCESS = 1, LOCK_NORMAL = 0, LOCK_ERRORCHECK = 2, LOCK_RECURSIVE = 4 };

static inline int thr_create(void *stack, size_t stack_bytes, void *(*start)(void *), void *arg, long flags,
			     thread_t *ret_thread)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	thread_t thread;

	if (stack || (flags & (THR_SUSPENDED | THR_DAEMON)))
		return ENOTSUP;
	attr.stack_bytes = stack_bytes;
	attr.flags = (flags & THR_DETACHED ? (unsigned)UPCALL_DETACHED : 0u) |
		     (flags & THR_BOUND ? (unsigned)UPCALL_BOUND : 0u);
	return -upcall_create(ret_thread ? ret_thread : &thread, &attr, start, arg);
}

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

static inline void thr_yield(void)
{
	upcall_yield();
}

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
	if (type & USYNC_PROCESS)
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
	*cond = zero;
	return type == USYNC_PROCESS ? EINVAL : 0;
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

/* More than a word holds is for ever. */
static inline uint64_t upcall_thread_ns_(uint64_t s, int64_t ns)
{
	return s > 9000000000u ? UPCALL_NEVER : s * 1000000000u + (uint64_t)ns;
}

#ifdef CLOCK_REALTIME			/* strict C has none */
/* ETIME when that time of day has come, which is looked at once. */
static inline int cond_timedwait(cond_t *cond, mutex_t *mutex, const struct timespec *end)
{
	struct timespec now;
	uint64_t ns = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	if (end->tv_sec > now.tv_sec || (end->tv_sec == now.tv_sec && end->tv_nsec > now.tv_nsec))
		ns = upcall_thread_ns_((uint64_t)end->tv_sec - (uint64_t)now.tv_sec, (int64_t)end->tv_nsec - now.tv_nsec);
	int err = -upcall_cond_wait_until(cond, mutex, upcall_after(ns));

	return err == ETIMEDOUT ? ETIME : err;
}
#endif

/* ETIME when so much time has passed. */
static inline int cond_reltimedwait(cond_t *cond, mutex_t *mutex, const struct timespec *rest)
{
	uint64_t ns = rest->tv_sec < 0 || rest->tv_nsec < 0 ? 0 : upcall_thread_ns_((uint64_t)rest->tv_sec, rest->tv_nsec);
	int err = -upcall_cond_wait_until(cond, mutex, upcall_after(ns));

	return err == ETIMEDOUT ? ETIME : err;
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
	*lock = zero;
	return type == USYNC_PROCESS ? EINVAL : 0;
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
	return type == USYNC_PROCESS ? EINVAL : -upcall_sem_init(sem, value);
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

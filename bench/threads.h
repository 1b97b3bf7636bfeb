// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads by two interfaces, for benchmarks that are made once of each: pthreads, and with
 * -DNATIVE the one of <upcall/upcall.h>, its threads without TLS blocks
 * (but bound ones, which have one).
 */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include <stdbool.h>

#include "bench.h"

/* is_shared: between processes, where THREADS_SHARE says that there is such a thing. */
enum { START_DETACHED = 1, START_BOUND = 2 };

#ifdef NATIVE

#include <upcall/upcall.h>

enum { THREADS_SHARE = 0 };

typedef upcall_t thread;
typedef struct upcall_mutex mutex;
typedef struct upcall_cond cond;
typedef struct upcall_barrier barrier;

/* 0, or an error number. */
static inline int thread_try(thread *ret, void *(*body)(void *), void *arg, unsigned flags, size_t stack_bytes)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;

	attr.flags = (flags & START_BOUND ? UPCALL_BOUND : UPCALL_NO_TLS) |
		     (flags & START_DETACHED ? UPCALL_DETACHED : 0u);
	attr.stack_bytes = stack_bytes;
	return -upcall_create(ret, &attr, body, arg);
}

static inline void thread_join(thread t)
{
	must("upcall_join", -upcall_join(t, NULL));
}

#define thread_self upcall_self
#define thread_yield upcall_yield
#define thread_sleep(ns) ((void)upcall_sleep(ns))
#define mutex_init(m, is_shared) ((void)(is_shared), (void)upcall_mutex_init((m), UPCALL_MUTEX_NORMAL))
#define mutex_lock(m) ((void)upcall_mutex_lock(m))
#define mutex_unlock(m) ((void)upcall_mutex_unlock(m))
#define cond_init(c, is_shared) ((void)(is_shared), (void)(*(c) = (struct upcall_cond){ { 0 } }))
#define cond_wait(c, m) ((void)upcall_cond_wait((c), (m)))
#define cond_wait_second(c, m) ((void)upcall_cond_wait_until((c), (m), upcall_after(1000000000u)))
#define cond_signal upcall_cond_signal
#define cond_broadcast upcall_cond_broadcast
#define barrier_init(b, n) must("upcall_barrier_init", -upcall_barrier_init((b), (n)))
#define barrier_wait(b) ((void)upcall_barrier_wait(b))

#else

#include <pthread.h>
#include <sched.h>

enum { THREADS_SHARE = 1 };

typedef pthread_t thread;
typedef pthread_mutex_t mutex;
typedef pthread_cond_t cond;
typedef pthread_barrier_t barrier;

/* Some systems know one scope only, and say so: that one it is, then. */
static inline int thread_try(thread *ret, void *(*body)(void *), void *arg, unsigned flags, size_t stack_bytes)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setscope(&attr, flags & START_BOUND ? PTHREAD_SCOPE_SYSTEM : PTHREAD_SCOPE_PROCESS);
	if (flags & START_DETACHED)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (stack_bytes)
		must("pthread_attr_setstacksize", pthread_attr_setstacksize(&attr, stack_bytes));
	int error = pthread_create(ret, &attr, body, arg);

	pthread_attr_destroy(&attr);
	return error;
}

static inline void thread_join(thread t)
{
	must("pthread_join", pthread_join(t, NULL));
}

static inline void mutex_init(mutex *m, bool is_shared)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_init(m, &attr);
	pthread_mutexattr_destroy(&attr);
}

static inline void cond_init(cond *c, bool is_shared)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setpshared(&attr, is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

static inline void thread_sleep(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	nanosleep(&t, NULL);
}

static inline void cond_wait_second(cond *c, mutex *m)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_cond_timedwait(c, m, &t);
}

#define thread_self pthread_self
#define thread_yield() ((void)sched_yield())
#define mutex_lock(m) ((void)pthread_mutex_lock(m))
#define mutex_unlock(m) ((void)pthread_mutex_unlock(m))
#define cond_wait(c, m) ((void)pthread_cond_wait((c), (m)))
#define cond_signal(c) ((void)pthread_cond_signal(c))
#define cond_broadcast(c) ((void)pthread_cond_broadcast(c))
#define barrier_init(b, n) must("pthread_barrier_init", pthread_barrier_init((b), NULL, (n)))
#define barrier_wait(b) ((void)pthread_barrier_wait(b))

#endif

static inline thread thread_start(void *(*body)(void *), void *arg, unsigned flags, size_t stack_bytes)
{
	thread t;

	must("a thread's start", thread_try(&t, body, arg, flags, stack_bytes));
	return t;
}

#endif

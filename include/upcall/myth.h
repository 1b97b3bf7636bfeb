/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Myth, the threads of Small and Seltzer's "Scheduler Activations on BSD" (1995), over Upcall:
 * th_init, th_fork, th_yield, th_join, th_self and mutexes, with the paper's arguments.
 */
#ifndef UPCALL_MYTH_H
#define UPCALL_MYTH_H

#include <upcall/upcall.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

typedef upcall_t th_t;
typedef struct upcall_mutex th_mutex_t;

/* mp: how many virtual processors.  0, or -1: there can be none or so many, or there are threads already. */
static inline int th_init(int mp)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	options.vprocs = (unsigned)mp;
	return mp < 1 || upcall_init(&options) ? -1 : 0;
}

/* NULL: there is no memory for one more. */
static inline th_t th_fork(void *(*func)(void *), void *arg)
{
	th_t thread;

	return upcall_create(&thread, NULL, func, arg) ? NULL : thread;
}

static inline void th_yield(void)
{
	upcall_yield();
}

/* What its function returned; NULL, too, where there is nothing to wait for, such as the caller. */
static inline void *th_join(th_t thread)
{
	void *value = NULL;

	upcall_join(thread, &value);
	return value;
}

static inline th_t th_self(void)
{
	return upcall_self();
}

/* These return 0, or -1. */
static inline int th_mutex_init(th_mutex_t *mutex)
{
	return upcall_mutex_init(mutex, UPCALL_MUTEX_NORMAL) ? -1 : 0;
}

static inline int th_mutex_lock(th_mutex_t *mutex)
{
	return upcall_mutex_lock(mutex) ? -1 : 0;
}

static inline int th_mutex_unlock(th_mutex_t *mutex)
{
	return upcall_mutex_unlock(mutex) ? -1 : 0;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Myth, the threads of Small and Seltzer's "Scheduler Activations on BSD" (1995), over Upcall:
 * th_init, th_fork, th_yield, th_join, th_self and mutexes.  Every call that can fail returns 0, or -1
 * where the paper's did.
 */
#ifndef UPCALL_MYTH_H
#define UPCALL_MYTH_H

#include <upcall/upcall.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef upcall_t th_t;
typedef struct upcall_mutex th_mutex_t;

/* mp: as many virtual processors as the machine has; else one. */
static inline int th_init(int mp)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	options.vprocs = mp ? 0 : 1;
	return upcall_init(&options) ? -1 : 0;
}

static inline int th_fork(th_t *ret_thread, void *(*start)(void *), void *arg)
{
	return upcall_create(ret_thread, 0, start, arg) ? -1 : 0;
}

static inline void th_yield(void)
{
	upcall_yield();
}

static inline int th_join(th_t thread, void **ret_value)
{
	return upcall_join(thread, ret_value) ? -1 : 0;
}

static inline th_t th_self(void)
{
	return upcall_self();
}

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
}
#endif

#endif

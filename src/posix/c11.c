// SPDX-License-Identifier: BSD-2-Clause
/* C11's mutexes, conditions, call_once and keys: the pthread ones under other names. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "../base/atomic.h"
#include "mutex.h"
#include "once.h"
#include "real.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "the same object");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "the same object");

static int c11_error(int err)
{
	switch (err) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

static inline pthread_mutex_t *mutex(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

static inline pthread_cond_t *cond(cnd_t *c)
{
	return (pthread_cond_t *)c;
}

EXPORT int mtx_init(mtx_t *m, int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	if ((type & ~mtx_timed) == mtx_recursive)	/* any other makes a plain one, as with libc */
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	return c11_error(pthread_mutex_init(mutex(m), &attr));
}

EXPORT void mtx_destroy(mtx_t *m)
{
	pthread_mutex_destroy(mutex(m));
}

EXPORT int mtx_lock(mtx_t *m)
{
	return c11_error(posix_mutex_lock(mutex(m)));
}

EXPORT int mtx_trylock(mtx_t *m)
{
	return c11_error(posix_mutex_trylock(mutex(m)));
}

EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	return c11_error(posix_mutex_clocklock(mutex(m), CLOCK_REALTIME, until));
}

EXPORT int mtx_unlock(mtx_t *m)
{
	return c11_error(posix_mutex_unlock(mutex(m)));
}

EXPORT int cnd_init(cnd_t *c)
{
	return c11_error(pthread_cond_init(cond(c), NULL));
}

EXPORT void cnd_destroy(cnd_t *c)
{
	pthread_cond_destroy(cond(c));
}

EXPORT int cnd_signal(cnd_t *c)
{
	return c11_error(pthread_cond_signal(cond(c)));
}

EXPORT int cnd_broadcast(cnd_t *c)
{
	return c11_error(pthread_cond_broadcast(cond(c)));
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return c11_error(pthread_cond_wait(cond(c), mutex(m)));
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until)
{
	return c11_error(pthread_cond_timedwait(cond(c), mutex(m), until));
}

EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	posix_once((pthread_once_t *)flag, routine);
}

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
	return c11_error(pthread_key_create(key, destructor));
}

EXPORT void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

EXPORT void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

EXPORT int tss_set(tss_t key, void *value)
{
	return c11_error(pthread_setspecific(key, value));
}

// SPDX-License-Identifier: BSD-2-Clause
/* One of each kind of object that processes share. */
#ifndef PSHARED_H
#define PSHARED_H

#include "../harness.h"

struct objects {
	pthread_mutex_t mutex;
	pthread_cond_t cond, done;
	pthread_rwlock_t rwlock;
	pthread_barrier_t barrier;
	sem_t sem;
	atomic_int word;
	int gate, passed;		/* guarded by `mutex` */
};

static inline void init_objects(struct objects *o, unsigned barrier_count)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_rwlockattr_t ra;
	pthread_barrierattr_t ba;

	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&o->mutex, &ma));
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_condattr_setclock(&ca, CLOCK_MONOTONIC));
	CHECK_OK(pthread_cond_init(&o->cond, &ca));
	CHECK_OK(pthread_cond_init(&o->done, &ca));
	CHECK_OK(pthread_rwlockattr_init(&ra));
	CHECK_OK(pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(&o->rwlock, &ra));
	CHECK_OK(pthread_barrierattr_init(&ba));
	CHECK_OK(pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_barrier_init(&o->barrier, &ba, barrier_count));
	CHECK_OK(sem_init(&o->sem, 1, 0));
}

static inline struct objects *make_objects(unsigned barrier_count)
{
	struct objects *o = shared_memory(sizeof *o);

	init_objects(o, barrier_count);
	return o;
}

static inline long futex(atomic_int *word, int op, int value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, -1);
}

enum { SHARED_WAIT_OP = 0, SHARED_WAKE_OP = 1 };	/* FUTEX_WAIT and FUTEX_WAKE, not private */

#endif

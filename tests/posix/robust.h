// SPDX-License-Identifier: BSD-2-Clause
/* Robust mutexes of several processes. */
#ifndef ROBUST_H
#define ROBUST_H

#include "harness.h"

static inline void robust_init(pthread_mutex_t *m, int type, int protocol)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, protocol));
	CHECK_OK(pthread_mutex_init(m, &a));
}

#endif

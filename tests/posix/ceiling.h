// SPDX-License-Identifier: BSD-2-Clause
/* Real-time threads of a low priority, and mutexes that raise it. */
#ifndef CEILING_H
#define CEILING_H

#include "harness.h"

enum { OWN = 5, CEILING = 30 };

static inline int shown_priority(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static inline void become_real_time(void)
{
	struct sched_param p = { .sched_priority = OWN };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
}

static inline void make_ceiling(pthread_mutex_t *m, int shared)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, shared));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, CEILING));
	CHECK_OK(pthread_mutex_init(m, &a));
}

#endif

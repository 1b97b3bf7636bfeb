// SPDX-License-Identifier: BSD-2-Clause
/* Threads that are lent a priority: by a real-time thread that waits for their mutex, or by its ceiling. */
#ifndef LENT_H
#define LENT_H

#include "harness.h"

enum { LENT = 40 };

static pthread_mutex_t lent_for;
static atomic_bool lent_is_held;

/* Field 18 of the caller's stat: -1 minus the real-time priority that is in force; less than 0: none is. */
static inline int priority_in_force(void)
{
	char text[512] = "", *at;
	int fd = open("/proc/thread-self/stat", O_RDONLY), n = 18 - 2;

	CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
	close(fd);
	for (at = strrchr(text, ')'); n > 0; n--)
		at = strchr(at + 1, ' ');
	return -1 - atoi(at);
}

/* What it has, and what is in force: a policy and a priority, a digit each. */
static inline void is_child_with(const char *says)
{
	struct sched_param p;

	CHECK_EQ(sched_getscheduler(0), says[0] - '0');
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, says[1] - '0');
	CHECK(says[1] == '0' ? priority_in_force() < 0 : priority_in_force() == p.sched_priority);
}

static inline void *lends(void *arg)
{
	struct sched_param p = { .sched_priority = LENT };
	int rc;

	WAIT_FOR(lent_is_held);
	rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&lent_for));
	CHECK_OK(pthread_mutex_unlock(&lent_for));
	return arg;
}

/* Calls fn while the caller is lent the priority LENT. */
static inline void while_lent(void (*fn)(void))
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&lent_for, &a));
	t = spawn(lends, NULL);
	CHECK_OK(pthread_mutex_lock(&lent_for));
	lent_is_held = true;
	WAIT_FOR(priority_in_force() == LENT);
	fn();
	CHECK_OK(pthread_mutex_unlock(&lent_for));
	join(t);
	lent_is_held = false;
}

static inline void mutex_with_ceiling(pthread_mutex_t *m, int ceiling)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, ceiling));
	CHECK_OK(pthread_mutex_init(m, &a));
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
// A thread that has its real-time policy by the system call sched_setattr lends its priority, too.
#include "../posix/attributes.h"
#include "../posix/lent.h"

static void *lends_by_number(void *arg)
{
	struct attributes a = { .size = sizeof(a), .policy = SCHED_FIFO, .priority = LENT };

	WAIT_FOR(lent_is_held);
	if (syscall(SYS_sched_setattr, 0, &a, 0) < 0 && errno == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_EQ(priority_in_force(), LENT);
	CHECK_OK(pthread_mutex_lock(&lent_for));
	CHECK_OK(pthread_mutex_unlock(&lent_for));
	return arg;
}

static void *owns(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lent_for));
	lent_is_held = true;
	WAIT_FOR(priority_in_force() == LENT);
	CHECK_OK(pthread_mutex_unlock(&lent_for));
	CHECK(priority_in_force() < 0);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t lender, owner;

	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&lent_for, &a));
	lender = spawn(lends_by_number, NULL);
	owner = spawn(owns, NULL);
	join(lender);
	join(owner);
}

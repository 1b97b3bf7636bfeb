// SPDX-License-Identifier: BSD-2-Clause
// A new thread inherits its maker's own policy and priority, not what the maker is lent by those that wait for its
// mutex; nor do the maker's own questions tell that.
#include "../posix/attributes.h"
#include "../posix/lent.h"
#include <threads.h>

static int own;		/* less than 0: the policy is SCHED_OTHER */

static void tells_own(pid_t tid)
{
	int policy = own < 0 ? SCHED_OTHER : SCHED_RR, priority = own < 0 ? 0 : own;
	struct sched_param p;

	CHECK_EQ(sched_getscheduler(tid), policy);
	CHECK_OK(sched_getparam(tid, &p));
	CHECK_EQ(p.sched_priority, priority);
	CHECK_EQ(syscall(SYS_sched_getscheduler, tid), policy);
	CHECK_EQ(attributes_of(tid).policy, policy);
	CHECK_EQ(attributes_of(tid).priority, priority);
}

static void *is_own(void *arg)
{
	struct sched_param p;
	int policy;

	CHECK(own < 0 ? priority_in_force() < 0 : priority_in_force() == own);
	tells_own(0);
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, own < 0 ? SCHED_OTHER : SCHED_RR);
	CHECK_EQ(p.sched_priority, own < 0 ? 0 : own);
	return arg;
}

static int is_own_c11(void *arg)
{
	is_own(arg);
	return 5;
}

static pid_t maker;

static void *asks(void *arg)
{
	tells_own(maker);
	return arg;
}

static void makes(void)
{
	pthread_attr_t explicitly;
	struct sched_param p = { .sched_priority = 4 };
	pthread_t t;
	thrd_t c11;
	int result, policy;

	join(spawn(is_own, NULL));
	CHECK_EQ(thrd_create(&c11, is_own_c11, NULL), thrd_success);
	CHECK_EQ(thrd_join(c11, &result), thrd_success);
	CHECK_EQ(result, 5);
	tells_own(0);
	maker = gettid();
	tells_own(maker);
	join(spawn(asks, NULL));
	CHECK_OK(pthread_attr_init(&explicitly));
	CHECK_OK(pthread_attr_setinheritsched(&explicitly, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&explicitly, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&explicitly, &p));
	CHECK_OK(pthread_create(&t, &explicitly, nothing, NULL));
	CHECK_OK(pthread_getschedparam(t, &policy, &p));
	CHECK_EQ(policy, SCHED_FIFO);
	CHECK_EQ(p.sched_priority, 4);
	join(t);
	CHECK_EQ(priority_in_force(), LENT);
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 3 };

	own = -1;
	while_lent(makes);
	is_own(NULL);
	own = 3;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_RR, &p));
	while_lent(makes);
	is_own(NULL);
	return arg;
}

int main(void)
{
	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	join(spawn(body, NULL));
}

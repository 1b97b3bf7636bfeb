// SPDX-License-Identifier: BSD-2-Clause
// What sched_setscheduler and its like set while others wait for the thread's mutex counts when that is free; what they
// keep is the thread's own.
#include "../posix/attributes.h"
#include "../posix/lent.h"

static void is_own(int policy, int priority)
{
	struct sched_param p;

	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, priority);
}

static void sets_scheduler(void)
{
	struct sched_param p = { .sched_priority = 7 };

	CHECK_OK(sched_setscheduler(0, SCHED_RR, &p));
	is_own(SCHED_RR, 7);
	CHECK_EQ(priority_in_force(), LENT);
}

static void sets_param(void)
{
	struct sched_param p = { .sched_priority = 9 };

	CHECK_OK(sched_setparam(0, &p));
	is_own(SCHED_RR, 9);
	CHECK_EQ(priority_in_force(), LENT);
	CHECK_ERRNO(sched_setscheduler(0, SCHED_OTHER, &p), EINVAL);
	CHECK_ERRNO(sched_setscheduler(0, -1, &p), EINVAL);
	is_own(SCHED_RR, 9);
}

static void sets_higher(void)
{
	struct sched_param p = { .sched_priority = LENT + 2 };

	CHECK_OK(sched_setscheduler(gettid(), SCHED_FIFO, &p));
	is_own(SCHED_FIFO, LENT + 2);
	CHECK_EQ(priority_in_force(), LENT + 2);
}

static void sets_attributes(void)
{
	struct attributes a = attributes_of(0);

	a.policy = SCHED_FIFO;
	a.priority = 5;
	CHECK_OK(syscall(SYS_sched_setattr, 0, &a, 0));
	is_own(SCHED_FIFO, 5);
	CHECK_EQ(priority_in_force(), LENT);
}

static void keeps(void)
{
	enum { KEEP_POLICY = 0x08, KEEP_PARAMS = 0x10 };
	struct attributes a = { .size = sizeof(a), .flags = KEEP_POLICY | KEEP_PARAMS };

	CHECK_OK(syscall(SYS_sched_setattr, 0, &a, 0));
	CHECK_EQ(priority_in_force(), LENT);
}

static void sets_none(void)
{
	struct sched_param p = { 0 };

	CHECK_OK(syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &p));
	is_own(SCHED_OTHER, 0);
	CHECK_EQ(priority_in_force(), LENT);
}

static void *body(void *arg)
{
	while_lent(sets_scheduler);
	is_own(SCHED_RR, 7);
	CHECK_EQ(priority_in_force(), 7);
	while_lent(sets_param);
	is_own(SCHED_RR, 9);
	CHECK_EQ(priority_in_force(), 9);
	while_lent(sets_attributes);
	is_own(SCHED_FIFO, 5);
	CHECK_EQ(priority_in_force(), 5);
	while_lent(keeps);
	is_own(SCHED_FIFO, 5);
	CHECK_EQ(priority_in_force(), 5);
	while_lent(sets_higher);
	is_own(SCHED_FIFO, LENT + 2);
	CHECK_EQ(priority_in_force(), LENT + 2);
	return arg;
}

static void *body_of_others(void *arg)
{
	while_lent(keeps);
	is_own(SCHED_OTHER, 0);
	CHECK(priority_in_force() < 0);
	while_lent(sets_none);
	is_own(SCHED_OTHER, 0);
	CHECK(priority_in_force() < 0);
	return arg;
}

int main(void)
{
	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	join(spawn(body, NULL));
	join(spawn(body_of_others, NULL));
}

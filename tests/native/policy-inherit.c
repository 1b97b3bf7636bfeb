// SPDX-License-Identifier: BSD-2-Clause
// Policy priority: who owns a mutex has the priority of those who wait for it, until it unlocks.
#include "check.h"

typedef struct upcall_mutex lockable;
typedef struct upcall_cond condition;

static void make(lockable *l, int kind)
{
	CHECK_IS(upcall_mutex_init(l, (enum upcall_mutex_kind)kind), 0);
}

static void lock(lockable *l)
{
	CHECK_IS(upcall_mutex_lock(l), 0);
}

static int lock_within(lockable *l, uint64_t ns)
{
	int err = upcall_mutex_lock_until(l, upcall_after(ns));

	CHECK(!err || err == -ETIMEDOUT);
	return !err;
}

static void unlock(lockable *l)
{
	CHECK_IS(upcall_mutex_unlock(l), 0);
}

static void wait_on(condition *c, lockable *l)
{
	CHECK_IS(upcall_cond_wait(c, l), 0);
}

static void signal_one(condition *c)
{
	upcall_cond_signal(c);
}

#include "inherit.h"

static void on_one_vproc(void)
{
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_NORMAL);
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_RECURSIVE);
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_ERRORCHECK);
	it_goes_along_a_chain_and_back(UPCALL_MUTEX_NORMAL);
	a_wait_on_a_condition_gives_it_back(UPCALL_MUTEX_NORMAL);
}

static void on_two_vprocs(void)
{
	many_at_random(UPCALL_MUTEX_NORMAL);
}

static void test(void)
{
	const struct upcall_policy *priority = upcall_policy_named("priority");

	with_policy(priority, 1, on_one_vproc);
	with_policy(priority, 2, on_two_vprocs);
}

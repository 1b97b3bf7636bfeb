// SPDX-License-Identifier: BSD-2-Clause
// Policy priority under `upcall run`: an inheriting pthread mutex gives its owner the priority of those
// who wait for it, until it unlocks; one without the protocol gives nothing.
#include "check.h"

#include <pthread.h>
#include <time.h>

typedef pthread_mutex_t lockable;
typedef pthread_cond_t condition;

static int protocol = PTHREAD_PRIO_INHERIT;

static void make(lockable *l, int type)
{
	pthread_mutexattr_t attr;

	CHECK_IS(pthread_mutexattr_init(&attr), 0);
	CHECK_IS(pthread_mutexattr_settype(&attr, type), 0);
	CHECK_IS(pthread_mutexattr_setprotocol(&attr, protocol), 0);
	CHECK_IS(pthread_mutex_init(l, &attr), 0);
	CHECK_IS(pthread_mutexattr_destroy(&attr), 0);
}

static void lock(lockable *l)
{
	CHECK_IS(pthread_mutex_lock(l), 0);
}

static int lock_within(lockable *l, uint64_t ns)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	ns += (uint64_t)at.tv_nsec;
	at.tv_sec += (time_t)(ns / 1000000000);
	at.tv_nsec = (long)(ns % 1000000000);
	int err = pthread_mutex_timedlock(l, &at);

	CHECK(!err || err == ETIMEDOUT);
	return !err;
}

static void unlock(lockable *l)
{
	CHECK_IS(pthread_mutex_unlock(l), 0);
}

static void wait_on(condition *c, lockable *l)
{
	CHECK_IS(pthread_cond_wait(c, l), 0);
}

static void signal_one(condition *c)
{
	CHECK_IS(pthread_cond_signal(c), 0);
}

#include "inherit.h"

static void without_the_protocol_nothing_is_given(void)
{
	upcall_t low, high;

	protocol = PTHREAD_PRIO_NONE;
	make(&m, PTHREAD_MUTEX_NORMAL);
	protocol = PTHREAD_PRIO_INHERIT;
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	high = spawn_at(5, 0, want, NULL);
	check_in_force(low, -1);
	upcall_sem_post(&go);
	join(high);
	join(low);
	check_ran("lhLHx");
}

static void on_one_vproc(void)
{
	the_owner_runs_for_the_waiter(PTHREAD_MUTEX_NORMAL);
	the_owner_runs_for_the_waiter(PTHREAD_MUTEX_RECURSIVE);
	the_owner_runs_for_the_waiter(PTHREAD_MUTEX_ERRORCHECK);
	without_the_protocol_nothing_is_given();
	it_goes_along_a_chain_and_back(PTHREAD_MUTEX_NORMAL);
	a_wait_on_a_condition_gives_it_back(PTHREAD_MUTEX_NORMAL);
}

static void on_two_vprocs(void)
{
	many_at_random(PTHREAD_MUTEX_NORMAL);
}

static void test(void)
{
	const struct upcall_policy *priority = upcall_policy_named("priority");
	const char *preload = getenv("LD_PRELOAD");

	if (!preload || !strstr(preload, "upcall")) {
		printf("pthread mutexes are libc's here\n");
		exit(SKIP);
	}
	if (test_flags & UPCALL_NO_TLS)		/* no threads for libc's calls */
		return;
	with_policy(priority, 1, on_one_vproc);
	with_policy(priority, 2, on_two_vprocs);
}

// SPDX-License-Identifier: BSD-2-Clause
// Policy priority: who owns a mutex has the priority of those who wait for it, until it unlocks.
#include "policy.h"

static struct upcall_mutex m, m2;
static struct upcall_sem go, go_middle;
static struct upcall_cond cond;

static void *hold(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&m), 0);
	step((void *)'l');
	upcall_sem_wait(&go);
	step((void *)'L');
	CHECK_IS(upcall_mutex_unlock(&m), 0);
	step((void *)'x');
	return arg;
}

static void *want(void *arg)
{
	step((void *)'h');
	CHECK_IS(upcall_mutex_lock(&m), 0);
	step((void *)'H');
	CHECK_IS(upcall_mutex_unlock(&m), 0);
	return arg;
}

static void *middle(void *arg)
{
	upcall_sem_wait(&go_middle);
	step((void *)'m');
	return arg;
}

/* On one vproc.  Main is the lowest while it makes them, so that each runs until it waits. */
static void the_owner_runs_for_the_waiter(enum upcall_mutex_kind kind)
{
	upcall_t low, high, mid;

	CHECK_IS(upcall_mutex_init(&m, kind), 0);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	high = spawn_at(5, 0, want, NULL);
	mid = spawn_at(2, 0, middle, NULL);
	CHECK_IS(upcall_priority_in_force(low), 5);
	CHECK_IS(upcall_priority(low), -1);
	upcall_set_priority(upcall_self(), UPCALL_PRIORITY_MAX);
	upcall_sem_post(&go_middle);
	upcall_sem_post(&go);
	join(low);
	join(mid);
	join(high);
	check_ran("lhLHmx");
}

static void *hold_and_want(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&m2), 0);
	CHECK_IS(upcall_mutex_lock(&m), 0);
	CHECK_IS(upcall_mutex_unlock(&m), 0);
	CHECK_IS(upcall_mutex_unlock(&m2), 0);
	return arg;
}

static void *want_for_a_while(void *arg)
{
	CHECK_IS(upcall_mutex_lock_until(&m2, upcall_after(20 * MS)), -ETIMEDOUT);
	return arg;
}

static void it_goes_along_a_chain_and_back(void)
{
	upcall_t low, mid, high;

	CHECK_IS(upcall_mutex_init(&m, UPCALL_MUTEX_NORMAL), 0);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	mid = spawn_at(0, 0, hold_and_want, NULL);
	CHECK_IS(upcall_priority_in_force(low), 0);
	high = spawn_at(7, 0, want_for_a_while, NULL);
	CHECK_IS(upcall_priority_in_force(mid), 7);
	CHECK_IS(upcall_priority_in_force(low), 7);
	CHECK_IS(upcall_set_priority(high, 9), 0);		/* waiting, it lends that too */
	CHECK_IS(upcall_priority_in_force(low), 9);
	join(high);
	CHECK_IS(upcall_priority_in_force(mid), 0);
	CHECK_IS(upcall_priority_in_force(low), 0);
	upcall_sem_post(&go);
	join(mid);
	join(low);
	check_ran("lLx");
}

static void *hold_and_wait(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&m), 0);
	upcall_sem_wait(&go);
	CHECK_IS(upcall_priority_in_force(upcall_self()), 5);
	CHECK_IS(upcall_cond_wait(&cond, &m), 0);
	CHECK_IS(upcall_mutex_unlock(&m), 0);
	return arg;
}

static void a_wait_on_a_condition_gives_it_back(void)
{
	upcall_t low, high;

	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold_and_wait, NULL);
	high = spawn_at(5, 0, want, NULL);
	CHECK_IS(upcall_priority_in_force(low), 5);
	upcall_sem_post(&go);
	join(high);
	check_ran("hH");
	CHECK_IS(upcall_priority_in_force(low), -1);
	upcall_cond_signal(&cond);
	join(low);
}

static void on_one_vproc(void)
{
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_NORMAL);
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_RECURSIVE);
	the_owner_runs_for_the_waiter(UPCALL_MUTEX_ERRORCHECK);
	it_goes_along_a_chain_and_back();
	a_wait_on_a_condition_gives_it_back();
}

enum { THREADS = 6, ROUNDS = 2000, MUTEXES = 3 };
static struct upcall_mutex some[MUTEXES];
static int inside[MUTEXES];

static void *lock_at_random(void *arg)
{
	unsigned seed = (unsigned)(long)arg + 1;

	for (int i = 0; i < ROUNDS; i++) {
		int held = 0, first = rand_r(&seed) % MUTEXES;

		for (int k = first; k < MUTEXES && k < first + 2; k++) {
			if (rand_r(&seed) % 4)
				upcall_mutex_lock(&some[k]);
			else if (upcall_mutex_lock_until(&some[k], upcall_after(10000)))
				break;
			CHECK_IS(inside[k]++, 0);
			held++;
		}
		if (rand_r(&seed) % 4 == 0)
			upcall_yield();
		while (held--) {
			CHECK_IS(--inside[first + held], 0);
			upcall_mutex_unlock(&some[first + held]);
		}
		/* Whoever owns nothing is lent nothing. */
		CHECK_IS(upcall_priority_in_force(upcall_self()), upcall_priority(upcall_self()));
	}
	return arg;
}

static void on_two_vprocs(void)
{
	upcall_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		t[i] = spawn_at((int)i - 3, 0, lock_at_random, (void *)i);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
}

static void test(void)
{
	const struct upcall_policy *priority = upcall_policy_named("priority");

	with_policy(priority, 1, on_one_vproc);
	with_policy(priority, 2, on_two_vprocs);
}

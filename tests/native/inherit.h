/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who owns a lock has the priority of those who wait for it, until it unlocks: for locks of any kind.  The
 * program that includes this says first what a `lockable` and a `condition` are, and what is done with them:
 *
 *	make(lockable *, kind)  lock(l)  lock_within(l, ns): false when it is too late  unlock(l)
 *	wait_on(condition *, l)  signal_one(condition *)
 */
#ifndef NATIVE_INHERIT_H
#define NATIVE_INHERIT_H

#include "policy.h"

static lockable m, m2;
static condition cond;
static struct upcall_sem go, go_middle;

static void *hold(void *arg)
{
	lock(&m);
	step((void *)'l');
	upcall_sem_wait(&go);
	step((void *)'L');
	unlock(&m);
	step((void *)'x');
	return arg;
}

static void *want(void *arg)
{
	step((void *)'h');
	lock(&m);
	step((void *)'H');
	unlock(&m);
	return arg;
}

static void *middle(void *arg)
{
	upcall_sem_wait(&go_middle);
	step((void *)'m');
	return arg;
}

/* On one vproc.  Main is the lowest while it makes them, so that each runs until it waits. */
static void the_owner_runs_for_the_waiter(int kind)
{
	upcall_t low, high, mid;

	make(&m, kind);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	high = spawn_at(5, 0, want, NULL);
	mid = spawn_at(2, 0, middle, NULL);
	check_in_force(low, 5);
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
	lock(&m2);
	lock(&m);
	unlock(&m);
	unlock(&m2);
	return arg;
}

static void *want_for_a_while(void *arg)
{
	CHECK(!lock_within(&m2, 20 * MS));
	return arg;
}

static void it_goes_along_a_chain_and_back(int kind)
{
	upcall_t low, mid, high;

	make(&m, kind);
	make(&m2, kind);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	mid = spawn_at(0, 0, hold_and_want, NULL);
	check_in_force(low, 0);
	high = spawn_at(7, 0, want_for_a_while, NULL);
	check_in_force(mid, 7);
	check_in_force(low, 7);
	CHECK_IS(upcall_set_priority(high, 9), 0);		/* waiting, it lends that too */
	check_in_force(low, 9);
	join(high);
	check_in_force(mid, 0);
	check_in_force(low, 0);
	upcall_sem_post(&go);
	join(mid);
	join(low);
	check_ran("lLx");
}

static void *hold_and_wait(void *arg)
{
	lock(&m);
	upcall_sem_wait(&go);
	check_in_force(upcall_self(), 5);
	wait_on(&cond, &m);
	unlock(&m);
	return arg;
}

static void a_wait_on_a_condition_gives_it_back(int kind)
{
	upcall_t low, high;

	make(&m, kind);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold_and_wait, NULL);
	high = spawn_at(5, 0, want, NULL);
	check_in_force(low, 5);
	upcall_sem_post(&go);
	join(high);
	check_ran("hH");
	check_in_force(low, -1);
	signal_one(&cond);
	join(low);
}

enum { THREADS = 6, ROUNDS = 2000, MUTEXES = 3 };
static lockable some[MUTEXES];
static int inside[MUTEXES];

static void *lock_at_random(void *arg)
{
	unsigned seed = (unsigned)(long)arg + 1;

	for (int i = 0; i < ROUNDS; i++) {
		int held = 0, first = rand_r(&seed) % MUTEXES;

		for (int k = first; k < MUTEXES && k < first + 2; k++) {
			if (rand_r(&seed) % 4)
				lock(&some[k]);
			else if (!lock_within(&some[k], 10000))
				break;
			CHECK_IS(inside[k]++, 0);
			held++;
		}
		if (rand_r(&seed) % 4 == 0)
			upcall_yield();
		while (held--) {
			CHECK_IS(--inside[first + held], 0);
			unlock(&some[first + held]);
		}
		/* Whoever owns nothing is lent nothing. */
		CHECK_IS(upcall_priority_in_force(upcall_self()), upcall_priority(upcall_self()));
	}
	return arg;
}

static void many_at_random(int kind)
{
	upcall_t t[THREADS];

	for (int i = 0; i < MUTEXES; i++)
		make(&some[i], kind);
	for (long i = 0; i < THREADS; i++)
		t[i] = spawn_at((int)i - 3, 0, lock_at_random, (void *)i);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
}

#endif

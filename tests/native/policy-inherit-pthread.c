// SPDX-License-Identifier: BSD-2-Clause
// Policy priority under `upcall run`: an inheriting pthread mutex gives its owner the priority of those
// who wait for it, until it unlocks; one without the protocol gives nothing.
#include "policy.h"

#include <pthread.h>

static pthread_mutex_t m, m2;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct upcall_sem go;

static void make(pthread_mutex_t *mutex, int type, int protocol)
{
	pthread_mutexattr_t attr;

	CHECK_IS(pthread_mutexattr_init(&attr), 0);
	CHECK_IS(pthread_mutexattr_settype(&attr, type), 0);
	CHECK_IS(pthread_mutexattr_setprotocol(&attr, protocol), 0);
	CHECK_IS(pthread_mutex_init(mutex, &attr), 0);
	CHECK_IS(pthread_mutexattr_destroy(&attr), 0);
}

static void *hold(void *arg)
{
	CHECK_IS(pthread_mutex_lock(&m), 0);
	step((void *)'l');
	upcall_sem_wait(&go);
	step((void *)'L');
	CHECK_IS(pthread_mutex_unlock(&m), 0);
	step((void *)'x');
	return arg;
}

static void *want(void *arg)
{
	CHECK_IS(pthread_mutex_lock(&m), 0);
	step((void *)'H');
	CHECK_IS(pthread_mutex_unlock(&m), 0);
	return arg;
}

/* On one vproc.  Main is the lowest while it makes them, so that each runs until it waits. */
static void the_owner_has_the_waiters_priority(int type, int protocol, int in_force)
{
	upcall_t low, high;

	make(&m, type, protocol);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	high = spawn_at(5, 0, want, NULL);
	CHECK_IS(upcall_priority_in_force(low), in_force);
	upcall_sem_post(&go);
	join(high);
	CHECK_IS(upcall_priority_in_force(low), -1);
	join(low);
	check_ran("lLHx");
}

static void *hold_and_want(void *arg)
{
	CHECK_IS(pthread_mutex_trylock(&m2), 0);
	CHECK_IS(pthread_mutex_lock(&m), 0);
	CHECK_IS(pthread_mutex_unlock(&m), 0);
	CHECK_IS(pthread_mutex_unlock(&m2), 0);
	return arg;
}

static void *want_for_a_while(void *arg)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 20000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	CHECK_IS(pthread_mutex_timedlock(&m2, &at), ETIMEDOUT);
	return arg;
}

static void it_goes_along_a_chain_and_back(void)
{
	upcall_t low, mid, high;

	make(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
	make(&m2, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold, NULL);
	mid = spawn_at(0, 0, hold_and_want, NULL);
	CHECK_IS(upcall_priority_in_force(low), 0);
	high = spawn_at(7, 0, want_for_a_while, NULL);
	CHECK_IS(upcall_priority_in_force(mid), 7);
	CHECK_IS(upcall_priority_in_force(low), 7);
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
	CHECK_IS(pthread_mutex_lock(&m), 0);
	upcall_sem_wait(&go);
	CHECK_IS(upcall_priority_in_force(upcall_self()), 5);
	CHECK_IS(pthread_cond_wait(&cond, &m), 0);
	CHECK_IS(pthread_mutex_unlock(&m), 0);
	return arg;
}

static void a_wait_on_a_condition_gives_it_back(void)
{
	upcall_t low, high;

	make(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
	upcall_set_priority(upcall_self(), -5);
	low = spawn_at(-1, 0, hold_and_wait, NULL);
	high = spawn_at(5, 0, want, NULL);
	CHECK_IS(upcall_priority_in_force(low), 5);
	upcall_sem_post(&go);
	join(high);
	check_ran("H");
	CHECK_IS(upcall_priority_in_force(low), -1);
	CHECK_IS(pthread_cond_signal(&cond), 0);
	join(low);
}

static void on_one_vproc(void)
{
	the_owner_has_the_waiters_priority(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 5);
	the_owner_has_the_waiters_priority(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, 5);
	the_owner_has_the_waiters_priority(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, 5);
	the_owner_has_the_waiters_priority(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, -1);
	it_goes_along_a_chain_and_back();
	a_wait_on_a_condition_gives_it_back();
}

enum { THREADS = 6, ROUNDS = 2000, MUTEXES = 3 };
static pthread_mutex_t some[MUTEXES];
static int inside[MUTEXES];

static void *lock_at_random(void *arg)
{
	unsigned seed = (unsigned)(long)arg + 1;

	for (int i = 0; i < ROUNDS; i++) {
		int k = rand_r(&seed) % MUTEXES;

		CHECK_IS(pthread_mutex_lock(&some[k]), 0);
		CHECK_IS(inside[k]++, 0);
		if (rand_r(&seed) % 4 == 0)
			upcall_yield();
		CHECK_IS(--inside[k], 0);
		CHECK_IS(pthread_mutex_unlock(&some[k]), 0);
		/* Whoever owns nothing is lent nothing. */
		CHECK_IS(upcall_priority_in_force(upcall_self()), upcall_priority(upcall_self()));
	}
	return arg;
}

static void on_two_vprocs(void)
{
	upcall_t t[THREADS];

	for (int i = 0; i < MUTEXES; i++)
		make(&some[i], PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
	for (long i = 0; i < THREADS; i++)
		t[i] = spawn_at((int)i - 3, 0, lock_at_random, (void *)i);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
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

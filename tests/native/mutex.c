// SPDX-License-Identifier: BSD-2-Clause
/* Mutexes: they exclude, time out, and the kinds that know their owner say so. */
#include "check.h"

enum { THREADS = 8, ROUNDS = 20000 };

static struct upcall_mutex mutex;
static long total;

static void *add(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_IS(upcall_mutex_lock(arg), 0);
		total++;
		if (i % 1000 == 0)
			upcall_yield();
		CHECK_IS(upcall_mutex_unlock(arg), 0);
	}
	return NULL;
}

static void test_excludes(enum upcall_mutex_kind kind)
{
	upcall_t t[THREADS];

	total = 0;
	CHECK_IS(upcall_mutex_init(&mutex, kind), 0);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(add, &mutex);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_IS(total, THREADS * ROUNDS);
}

static void *other(void *arg)
{
	uint64_t began = upcall_now();

	CHECK_IS(upcall_mutex_trylock(arg), -EBUSY);
	CHECK_IS(upcall_mutex_lock_until(arg, began + 20 * MS), -ETIMEDOUT);
	check_took(began, 20 * MS);
	return NULL;
}

static void *not_owner(void *arg)
{
	CHECK_IS(upcall_mutex_unlock(arg), -EPERM);
	return NULL;
}

static void test_kinds(void)
{
	CHECK_IS(upcall_mutex_init(&mutex, UPCALL_MUTEX_RECURSIVE), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_mutex_trylock(&mutex), 0);
	for (int i = 0; i < 3; i++) {
		join(spawn(not_owner, &mutex));
		join(spawn(other, &mutex));
		CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	}
	CHECK_IS(upcall_mutex_unlock(&mutex), -EPERM);

	CHECK_IS(upcall_mutex_init(&mutex, UPCALL_MUTEX_ERRORCHECK), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), -EDEADLK);
	join(spawn(other, &mutex));
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	CHECK_IS(upcall_mutex_init(&mutex, (enum upcall_mutex_kind)9), -EINVAL);
}

static void test(void)
{
	test_excludes(UPCALL_MUTEX_NORMAL);
	test_excludes(UPCALL_MUTEX_RECURSIVE);
	test_excludes(UPCALL_MUTEX_ERRORCHECK);
	test_kinds();
}

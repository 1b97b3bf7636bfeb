// SPDX-License-Identifier: BSD-2-Clause
/*
 * Values of threads that pthread_create made: their destructors run, also of those that a destructor of libc's sets, and
 * who comes next finds none of them.
 */
#include <pthread.h>

#include "check.h"

enum { KEYS = 20, ROUNDS = 30 };

static upcall_key_t key[KEYS];
static pthread_key_t libcs;
static int destroyed;

static void destroy(void *value)
{
	__atomic_fetch_add(&destroyed, (int)(size_t)value, __ATOMIC_RELAXED);
}

static void sets_a_value(void *value)
{
	CHECK_IS(upcall_key_set(key[0], value), 0);
}

static void *finds_none(void *arg)
{
	for (int i = 0; i < KEYS; i++)
		CHECK(upcall_key_get(key[i]) == NULL);
	return arg;
}

static void *uses_keys(void *arg)
{
	finds_none(NULL);
	for (int i = 0; i < KEYS; i++)
		CHECK_IS(upcall_key_set(key[i], (void *)1), 0);
	CHECK_IS(pthread_setspecific(libcs, (void *)1), 0);
	if (arg)
		pthread_exit(NULL);
	return NULL;
}

static void with_pthread(void *(*body)(void *), void *arg)
{
	pthread_t t;

	CHECK_IS(pthread_create(&t, NULL, body, arg), 0);
	CHECK_IS(pthread_join(t, NULL), 0);
}

static void test(void)
{
	for (int i = 0; i < KEYS; i++)
		CHECK_IS(upcall_key_create(&key[i], destroy), 0);
	CHECK_IS(pthread_key_create(&libcs, sets_a_value), 0);
	for (int i = 0; i < ROUNDS; i++) {
		with_pthread(uses_keys, i % 2 ? &destroyed : NULL);
		CHECK_IS(__atomic_load_n(&destroyed, __ATOMIC_RELAXED), (i + 1) * (KEYS + 1));
		join(spawn(finds_none, NULL));
		with_pthread(finds_none, NULL);
	}
}

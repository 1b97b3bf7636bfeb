// SPDX-License-Identifier: BSD-2-Clause
/* Thread-specific values and their destructors; park, unpark and the token between them. */
#include "check.h"

enum { KEYS = 60, ROUNDS = 20000 };

static upcall_key_t key[KEYS];
static int destroyed;

static void destroy(void *value)
{
	__atomic_fetch_add(&destroyed, (int)(size_t)value, __ATOMIC_RELAXED);
}

static void *use_keys(void *arg)
{
	for (int i = 0; i < KEYS; i++) {
		CHECK(upcall_key_get(key[i]) == NULL);
		CHECK_IS(upcall_key_set(key[i], arg), 0);
	}
	upcall_yield();
	for (int i = 0; i < KEYS; i++)
		CHECK(upcall_key_get(key[i]) == arg);
	return NULL;
}

static void test_keys(void)
{
	for (int i = 0; i < KEYS; i++)
		CHECK_IS(upcall_key_create(&key[i], destroy), 0);
	for (size_t i = 1; i <= 3; i++)
		join(spawn(use_keys, (void *)i));
	CHECK_IS(destroyed, KEYS * 6);
	CHECK_IS(upcall_key_set(key[3], &key), 0);
	CHECK_IS(upcall_key_delete(key[3]), 0);
	CHECK_IS(upcall_key_delete(key[3]), -EINVAL);
	CHECK_IS(upcall_key_set(key[3], NULL), -EINVAL);
	CHECK_IS(upcall_key_create(&key[3], NULL), 0);
	CHECK(upcall_key_get(key[3]) == NULL);
	CHECK_IS(upcall_key_set(UPCALL_KEYS_MAX, NULL), -EINVAL);
}

struct partner { upcall_t other; int passes; };

static void *pass(void *arg)
{
	struct partner *me = arg;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK_IS(upcall_park(), 0);
		me->passes++;
		upcall_unpark(me->other);
	}
	return NULL;
}

static void test_ping_pong(void)
{
	struct partner a = { 0 }, b = { 0 };
	upcall_t ta = spawn(pass, &a), tb = spawn(pass, &b);

	a.other = tb;
	b.other = ta;
	upcall_unpark(ta);
	join(ta);
	join(tb);
	CHECK_IS(a.passes, ROUNDS);
	CHECK_IS(b.passes, ROUNDS);
}

static void *token(void *arg)
{
	uint64_t began = upcall_now();

	(void)arg;
	upcall_unpark(upcall_self());
	upcall_unpark(upcall_self());
	CHECK_IS(upcall_park(), 0);
	CHECK_IS(upcall_park_until(began + 20 * MS), -ETIMEDOUT);
	check_took(began, 20 * MS);
	return NULL;
}

static void test(void)
{
	test_keys();
	test_ping_pong();
	join(spawn(token, NULL));
	token(NULL);
}

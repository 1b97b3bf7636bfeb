// SPDX-License-Identifier: BSD-2-Clause
// A destructor makes a key and sets it: its value is destroyed, too, and the next thread does not find it.
#include "check.h"

static upcall_key_t outer, inner;
static int made, destroyed;

static void count(void *value)
{
	(void)value;
	destroyed++;
}

static void make_another(void *value)
{
	if (made++)
		return;
	CHECK_IS(upcall_key_create(&inner, count), 0);
	CHECK_IS(upcall_key_set(inner, value), 0);
}

static void *sets(void *arg)
{
	CHECK_IS(upcall_key_set(outer, arg), 0);
	return arg;
}

static void *looks(void *arg)
{
	return upcall_key_get(inner) ? NULL : arg;
}

static void test(void)
{
	CHECK_IS(upcall_key_create(&outer, make_another), 0);
	CHECK(join(spawn(sets, &outer)) == &outer);
	CHECK_IS(made, 1);
	CHECK_IS(destroyed, 1);
	for (int i = 0; i < 10; i++)
		CHECK(join(spawn(looks, &outer)) == &outer);
	CHECK_IS(destroyed, 1);
}

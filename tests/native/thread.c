// SPDX-License-Identifier: BSD-2-Clause
/* Threads: they get their argument, give their result, are joined once, and may be detached. */
#include "check.h"

enum { MANY = 300 };

static struct upcall_sem ended;

static void *twice(void *arg)
{
	return (char *)arg + (size_t)arg;
}

static void *leave(void *arg)
{
	upcall_exit(arg);
}

static void *join_other(void *arg)
{
	return join(arg);
}

static void *rest(void *arg)
{
	upcall_sleep((uint64_t)(size_t)arg * MS);
	upcall_sem_post(&ended);
	return NULL;
}

static void *join_self(void *arg)
{
	(void)arg;
	CHECK_IS(upcall_join(upcall_self(), NULL), -EDEADLK);
	return NULL;
}

static void test_values(void)
{
	upcall_t t[MANY];

	for (size_t i = 0; i < MANY; i++)
		t[i] = spawn(twice, (void *)i);
	for (size_t i = 0; i < MANY; i++)
		CHECK_IS(join(t[i]), 2 * i);
	CHECK_IS(join(spawn(leave, (void *)7)), 7);
	CHECK_IS(join(spawn(join_other, spawn(twice, (void *)21))), 42);
	join(spawn(join_self, NULL));
}

static void *wait_for_word(void *arg)
{
	CHECK_IS(upcall_sem_wait(arg), 0);
	return NULL;
}

static void test_join_until(void)
{
	static struct upcall_sem word;
	upcall_t t = spawn(wait_for_word, &word);
	uint64_t began = upcall_now();

	CHECK_IS(upcall_join_until(t, NULL, began + 20 * MS), -ETIMEDOUT);
	check_took(began, 20 * MS);
	CHECK_IS(upcall_sem_post(&word), 0);
	CHECK_IS(upcall_join(t, NULL), 0);
}

static void test_detach(void)
{
	upcall_t t = spawn(rest, (void *)10);

	CHECK_IS(upcall_detach(t), 0);
	CHECK_IS(upcall_join(t, NULL), -EINVAL);
	CHECK_IS(upcall_sem_wait(&ended), 0);
}

static void test_attr(void)
{
	struct { struct upcall_attr attr; uint64_t more; } newer = { UPCALL_ATTR_INIT, 0 };
	upcall_t t;
	char name[16];

	newer.attr.size = sizeof(newer);
	newer.attr.name = "a-name-longer-than-fifteen";
	newer.attr.flags = test_flags;
	CHECK_IS(upcall_create(&t, &newer.attr, rest, NULL), 0);
	CHECK_IS(upcall_name(t, name, sizeof(name)), 0);
	CHECK(strcmp(name, "a-name-longer-t") == 0);
	CHECK_IS(upcall_join(t, NULL), 0);
	CHECK_IS(upcall_sem_wait(&ended), 0);
	newer.more = 1;
	CHECK_IS(upcall_create(&t, &newer.attr, rest, NULL), -E2BIG);
	newer.attr.flags = 0x8000;
	newer.more = 0;
	CHECK_IS(upcall_create(&t, &newer.attr, rest, NULL), -EINVAL);
}

static void test(void)
{
	test_values();
	test_join_until();
	test_detach();
	test_attr();
	CHECK(upcall_vprocs() >= 1);
}

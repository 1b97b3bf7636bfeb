// SPDX-License-Identifier: BSD-2-Clause
/* A child that is made while other threads create and delete keys can do so, too. */
#include <stdatomic.h>

#include "check.h"

enum { MAKERS = 3, CHILDREN = 150, LEFT = 3 };

static atomic_bool is_over;

static void *make_keys(void *arg)
{
	upcall_key_t key;

	while (!is_over)
		if (upcall_key_create(&key, NULL) == 0)
			CHECK_IS(upcall_key_delete(key), 0);
	return arg;
}

static void be_child(void)
{
	upcall_key_t key;

	alarm(20);
	int err = upcall_key_create(&key, NULL);

	if (!err)
		err = upcall_key_delete(key);
	_exit(err && err != -EAGAIN);	/* the makers had the rest */
}

static void test(void)
{
	upcall_key_t key;
	upcall_t t[MAKERS];
	int status;

	/* Nearly all are in use: the lock is held for long. */
	for (int i = 0; i < UPCALL_KEYS_MAX - LEFT; i++)
		CHECK_IS(upcall_key_create(&key, NULL), 0);
	for (int i = 0; i < MAKERS; i++) {
		struct upcall_attr attr = UPCALL_ATTR_INIT;

		attr.flags = test_flags ? test_flags : UPCALL_BOUND;
		CHECK_IS(upcall_create(&t[i], &attr, make_keys, NULL), 0);
	}
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0)
			be_child();
		CHECK_IS(waitpid(child, &status, 0), child);
		CHECK_IS(status, 0);
	}
	is_over = true;
	for (int i = 0; i < MAKERS; i++)
		join(t[i]);
}

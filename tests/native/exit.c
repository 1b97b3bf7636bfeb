// SPDX-License-Identifier: BSD-2-Clause
/* main may leave by upcall_exit: the process ends, with status 0, when the last thread does. */
#include "check.h"

static int ends[2];

static void *end_late(void *arg)
{
	(void)arg;
	upcall_sleep(20 * MS);
	CHECK_IS(write(ends[1], "x", 1), 1);
	return NULL;
}

static void *end_soon(void *arg)
{
	return arg;
}

static void test(void)
{
	char c[4];
	int status;

	CHECK_IS(pipe(ends), 0);
	pid_t child = fork();

	if (child == 0) {
		for (int i = 0; i < 3; i++)
			CHECK_IS(upcall_detach(spawn(end_late, NULL)), 0);
		for (int i = 0; i < 30; i++)
			CHECK_IS(upcall_detach(spawn(end_soon, NULL)), 0);
		upcall_exit(NULL);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
	CHECK_IS(read(ends[0], c, sizeof(c)), 3);
}

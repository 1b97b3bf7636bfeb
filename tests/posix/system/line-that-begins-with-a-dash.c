// SPDX-License-Identifier: BSD-2-Clause
// A line for system that begins with a dash is a command, and no option of the shell's (glibc since 2.38), in a thread too.
// glibc before that gives it to the shell as an option: the same is to come of it with threads and without.
#include "../harness.h"

static int alone;

static void *body(void *arg)
{
	CHECK_EQ(system("-n"), alone);
	return arg;
}

int main(void)
{
	alone = system("-n");
	CHECK(WIFEXITED(alone));
	if (__GLIBC_PREREQ(2, 38))		/* there is no such command */
		CHECK_EQ(WEXITSTATUS(alone), 127);
	join(spawn(body, NULL));
	body(NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// A child of vfork's that gives itself a name leaves its parent's thread the one that it has.
#include "../harness.h"

static void *body(void *arg)
{
	char got[16];
	int status;

	CHECK_OK(pthread_setname_np(pthread_self(), "parent"));
	pid_t pid = vfork();

	if (pid == 0)
		_exit(pthread_setname_np(pthread_self(), "child"));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_OK(pthread_getname_np(pthread_self(), got, sizeof got));
	CHECK(!strcmp(got, "parent"));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

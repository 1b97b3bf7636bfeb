// SPDX-License-Identifier: BSD-2-Clause
// A vfork child that calls _exit gives its status; the parent's thread goes on where it was.
#include "../harness.h"

static void *body(void *arg)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0)
		_exit(5 + (int)(intptr_t)arg);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 5 + (intptr_t)arg);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
}

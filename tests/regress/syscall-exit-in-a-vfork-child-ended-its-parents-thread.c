// SPDX-License-Identifier: BSD-2-Clause
// In a child of vfork's, exit by its number was pthread_exit, on the parent's stack.
#include "../posix/harness.h"

static void *makes_a_child(void *arg)
{
	int status = -1;
	pid_t pid = vfork();

	if (pid == 0)
		syscall(SYS_exit, 3);
	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	return arg;
}

int main(void)
{
	join(spawn(makes_a_child, NULL));
	makes_a_child(NULL);
	return 0;
}

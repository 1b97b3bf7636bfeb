// SPDX-License-Identifier: BSD-2-Clause
// kill with signal 0 asks whether a process exists; ESRCH, EINVAL, as the manual says.
#include "../harness.h"

static void *body(void *arg)
{
	pid_t pid = fork_watched();

	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_OK(kill(getpid(), 0));
	CHECK_ERRNO(kill(pid, 0), ESRCH);
	CHECK_ERRNO(kill(getpid(), 65), EINVAL);
	CHECK_ERRNO(kill(getpid(), -1), EINVAL);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

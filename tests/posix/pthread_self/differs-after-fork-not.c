// SPDX-License-Identifier: BSD-2-Clause
// The thread that forks has the same ID in the child.
#include "../harness.h"

static void *body(void *arg)
{
	pthread_t me = pthread_self();
	pid_t pid = fork_watched();
	int status;

	if (pid == 0)
		_exit(pthread_equal(me, pthread_self()) ? 0 : 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

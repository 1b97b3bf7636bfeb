// SPDX-License-Identifier: BSD-2-Clause
// On Linux any thread may wait for a child that another thread made.
#include "../harness.h"

static atomic_int pid;

static void *forks(void *arg)
{
	pid_t p = fork_watched();

	if (p == 0)
		_exit(5);
	pid = p;
	return arg;
}

static void *waits(void *arg)
{
	int status;

	WAIT_FOR(pid);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 5);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(waits, NULL);

	join(spawn(forks, NULL));
	join(t);
}

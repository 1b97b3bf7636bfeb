// SPDX-License-Identifier: BSD-2-Clause
// vfork and exec from a thread: what the child does to its descriptors stays there; others go on.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	char *argv[] = { "true", NULL };
	int status, spare = dup(0);
	pid_t pid = vfork();

	if (pid == 0) {
		close(spare);
		dup2(0, 150);
		execvp("true", argv);
		_exit(127);
	}
	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK(fcntl(spare, F_GETFD) != -1);
	CHECK_OK(close(spare));
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 5; i++) {
		spawn_many(t, 4, body);
		join_many(t, 4);
	}
	CHECK_ERRNO(fcntl(150, F_GETFD), EBADF);
}

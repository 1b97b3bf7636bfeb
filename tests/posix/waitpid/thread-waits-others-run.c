// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for a child does not stop the others, and any thread may wait for a child of
// another.
#include "../harness.h"

static pid_t pid;

static void *body(void *arg UNUSED)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 17);
	CHECK_ERRNO(waitpid(pid, &status, 0), ECHILD);
	return NULL;
}

static void *other(void *arg UNUSED)
{
	for (int i = 0; i < 20; i++)
		sleep_ms(1);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int p[2];
	char c;

	CHECK_OK(pipe(p));
	pid = fork_watched();
	if (pid == 0) {
		CHECK_EQ(read(p[0], &c, 1), 1);
		_exit(17);
	}
	t = spawn(body, NULL);
	join(spawn(other, NULL));
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// posix_spawn from many threads at once runs programs with their actions and attributes.
#include "../harness.h"
#include <spawn.h>

extern char **environ;

static void *body(void *arg UNUSED)
{
	char *argv[] = { "sh", "-c", "read x; test \"$x\" = hi && echo ok", NULL };
	posix_spawn_file_actions_t a;
	int in[2], out[2], status;
	char buf[8] = { 0 };
	pid_t pid;

	CHECK_OK(pipe2(in, O_CLOEXEC));
	CHECK_OK(pipe2(out, O_CLOEXEC));
	CHECK_OK(posix_spawn_file_actions_init(&a));
	CHECK_OK(posix_spawn_file_actions_adddup2(&a, in[0], 0));
	CHECK_OK(posix_spawn_file_actions_adddup2(&a, out[1], 1));
	CHECK_OK(posix_spawnp(&pid, "sh", &a, NULL, argv, environ));
	CHECK_EQ(write(in[1], "hi\n", 3), 3);
	CHECK_EQ(read(out[0], buf, sizeof buf), 3);
	CHECK(!strcmp(buf, "ok\n"));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_OK(posix_spawn_file_actions_destroy(&a));
	CHECK_EQ(posix_spawn(&pid, "/nonexistent", NULL, NULL, argv, environ), ENOENT);
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	spawn_many(t, 6, body);
	join_many(t, 6);
}

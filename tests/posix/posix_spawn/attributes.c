// SPDX-License-Identifier: BSD-2-Clause
// posix_spawn sets the child's signal mask, default actions and process group as its attributes say.
#include "../harness.h"

#include <spawn.h>

extern char **environ;

static void *body(void *arg)
{
	char *argv[] = { "sh", "-c", "kill -USR1 $$; exit 3", NULL };
	posix_spawnattr_t a;
	sigset_t none, usr1 = set_of(SIGUSR1);
	pid_t pid;
	int status;

	sigemptyset(&none);
	signal(SIGUSR1, SIG_IGN);
	CHECK_OK(posix_spawnattr_init(&a));
	CHECK_OK(posix_spawn(&pid, "/bin/sh", NULL, &a, argv, environ));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK_OK(posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
					  POSIX_SPAWN_SETPGROUP));
	CHECK_OK(posix_spawnattr_setsigmask(&a, &none));
	CHECK_OK(posix_spawnattr_setsigdefault(&a, &usr1));
	CHECK_OK(posix_spawnattr_setpgroup(&a, 0));
	CHECK_OK(posix_spawn(&pid, "/bin/sh", NULL, &a, argv, environ));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	CHECK_EQ(posix_spawn(&pid, "/no/such/program", NULL, NULL, argv, environ), ENOENT);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// system tells its command's status, ignores SIGINT and blocks SIGCHLD meanwhile, and NULL asks for a
// shell.
#include "../harness.h"

static atomic_int chld;

static void handler(int sig UNUSED)
{
	chld++;
}

static void *body(void *arg)
{
	int status = system("exit 7");

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	status = system("kill -INT $PPID; exit 2");
	CHECK_EQ(WEXITSTATUS(status), 2);
	status = system("kill -TERM $$");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	CHECK(system(NULL) != 0);
	return arg;
}

int main(void)
{
	on_signal(SIGCHLD, handler, SA_RESTART);
	join(spawn(body, NULL));
}

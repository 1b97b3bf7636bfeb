// SPDX-License-Identifier: BSD-2-Clause
// Prepare handlers run newest first, the others oldest first, each once for each fork.
#include "../harness.h"

static char order[64];
static int n;

#define HANDLER(name, c) static void name(void) { order[n++] = c; }
HANDLER(p1, 'a')
HANDLER(p2, 'b')
HANDLER(c1, '1')
HANDLER(c2, '2')
HANDLER(k1, 'x')
HANDLER(k2, 'y')

static void *body(void *arg)
{
	pid_t pid = fork_watched();
	int status;

	if (pid == 0)
		_exit(strcmp(order, "baxy") != 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(strcmp(order, "ba12"), 0);
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_atfork(p1, c1, k1));
	CHECK_OK(pthread_atfork(p2, c2, k2));
	CHECK_OK(pthread_atfork(NULL, NULL, NULL));
	join(spawn(body, NULL));
}

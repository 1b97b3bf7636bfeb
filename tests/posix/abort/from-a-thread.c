// SPDX-License-Identifier: BSD-2-Clause
// abort in a thread kills the process by SIGABRT, after a handler that returns.
#include "../harness.h"
#include <sys/resource.h>

static int *handled;

static void handler(int sig UNUSED)
{
	(*handled)++;
}

static void *body(void *arg UNUSED)
{
	abort();
}

static void child(void)
{
	struct rlimit none = { 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	on_signal(SIGABRT, handler, 0);
	join(spawn(body, NULL));
}

int main(void)
{
	int status;

	handled = shared_memory(sizeof *handled);
	status = in_child(child);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGABRT);
	CHECK_EQ(*handled, 1);
}

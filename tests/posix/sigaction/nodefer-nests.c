// SPDX-License-Identifier: BSD-2-Clause
// With SA_NODEFER a handler may be entered again by its own signal; without, it is not.
#include "../harness.h"

static volatile int depth, deepest;

static void handler(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 3)
		raise(sig);
	depth--;
}

static void *body(void *arg)
{
	raise(SIGUSR1);
	CHECK_EQ(deepest, 3);
	deepest = 0;
	depth = 1;
	raise(SIGUSR2);
	CHECK_EQ(deepest, 2);
	return arg;
}

static void deferred(int sig)
{
	static int calls;

	depth++;
	if (depth > deepest)
		deepest = depth;
	if (calls++ == 0)
		raise(sig);
	depth--;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_NODEFER);
	on_signal(SIGUSR2, deferred, 0);
	join(spawn(body, NULL));
}

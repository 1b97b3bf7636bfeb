// SPDX-License-Identifier: BSD-2-Clause
// _exit and quick_exit from a thread run no atexit handler; quick_exit runs those of
// at_quick_exit.
#include "../harness.h"

static int *shared;

static void bad(void)
{
	shared[0] = 1;
}

static void quick(void)
{
	shared[1]++;
}

static void *underscore(void *arg UNUSED)
{
	_exit(21);
}

static void *quickly(void *arg UNUSED)
{
	quick_exit(22);
}

static void child1(void)
{
	atexit(bad);
	at_quick_exit(quick);
	join(spawn(underscore, NULL));
}

static void child2(void)
{
	atexit(bad);
	at_quick_exit(quick);
	join(spawn(quickly, NULL));
}

int main(void)
{
	shared = shared_memory(2 * sizeof *shared);
	CHECK_EQ(WEXITSTATUS(in_child(child1)), 21);
	CHECK_EQ(shared[1], 0);
	CHECK_EQ(WEXITSTATUS(in_child(child2)), 22);
	CHECK_EQ(shared[1], 1);
	CHECK_EQ(shared[0], 0);
}

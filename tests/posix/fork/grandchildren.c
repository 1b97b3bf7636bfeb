// SPDX-License-Identifier: BSD-2-Clause
// A thread's child may make a thread that forks again, five generations deep.
#include "../harness.h"

static int depth;

static void child(void);

static void *body(void *arg)
{
	CHECK_EQ(in_child(child), 0);
	return arg;
}

static void child(void)
{
	if (++depth < 5)
		join(spawn(body, NULL));
}

int main(void)
{
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread that is not the main one may create threads, and they may be joined by any other.
#include "../harness.h"

static void *leaf(void *arg)
{
	return (char *)arg + 1;
}

static void *tree(void *arg)
{
	intptr_t depth = (intptr_t)arg;
	pthread_t l, r;

	if (depth == 0)
		return leaf(NULL);
	l = spawn(tree, (void *)(depth - 1));
	r = spawn(tree, (void *)(depth - 1));
	return (void *)((intptr_t)join(l) + (intptr_t)join(r));
}

int main(void)
{
	CHECK_EQ((intptr_t)join(spawn(tree, (void *)5)), 32);
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread may create the next one, a hundred generations deep, each joined by its creator.
#include "../harness.h"

static int deepest;

static void *body(void *arg)
{
	intptr_t depth = (intptr_t)arg;

	if (depth == 100)
		deepest = 100;
	else
		CHECK(join(spawn(body, (void *)(depth + 1))) == (void *)(depth + 1));
	return arg;
}

int main(void)
{
	CHECK(join(spawn(body, (void *)0)) == NULL);
	CHECK_EQ(deepest, 100);
}

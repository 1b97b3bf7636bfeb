// SPDX-License-Identifier: BSD-2-Clause
// Threads with more than sixty sizes of stacks or guards can be made, one after the other: from the 65th size that was
// larger than all before on, there were none.
#include "../posix/harness.h"

enum { SIZES = 200, STEP = 16 << 10 };

static void make(size_t stack, size_t guard)
{
	pthread_attr_t attr;
	pthread_t t;
	int mine = 0;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, stack));
	CHECK_OK(pthread_attr_setguardsize(&attr, guard));
	CHECK_OK(pthread_create(&t, &attr, nothing, &mine));
	CHECK(join(t) == &mine);
	pthread_attr_destroy(&attr);
}

static void child(void)
{
	make(256 << 10, 8 << 10);
	CHECK_OK(pthread_join(spawn(nothing, NULL), NULL));
}

int main(void)
{
	for (size_t i = 1; i <= SIZES; i++)
		make((128 << 10) + i * STEP, 4096);
	for (size_t i = 1; i <= SIZES / 4; i++)
		make(256 << 10, i * STEP);
	make((128 << 10) + SIZES * STEP, 4096);
	CHECK_EQ(in_child(child), 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// A program with much thread-local data can run threads on stacks of its own, which was EAGAIN; for a stack that is too
// small for that data it is EINVAL.
#include "../posix/harness.h"

enum { STACK = 1 << 20, LARGE = 200 << 10 };

static _Thread_local char large[LARGE];
static char stack[STACK] __attribute__((aligned(4096)));

static void *fills(void *arg)
{
	char here;

	CHECK(&here >= stack && &here < stack + STACK);
	for (size_t i = 0; i < sizeof(large); i++)
		CHECK_EQ(large[i], 0);
	memset(large, 1, sizeof(large));
	return arg;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstack(&attr, stack, sizeof(stack)));
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_create(&t, &attr, fills, &stack));
		CHECK(join(t) == &stack);
	}
	pthread_attr_destroy(&attr);
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, 64 << 10));
	CHECK_EQ(pthread_create(&t, &attr, fills, NULL), EINVAL);
	pthread_attr_destroy(&attr);
}

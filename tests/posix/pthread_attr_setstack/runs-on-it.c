// SPDX-License-Identifier: BSD-2-Clause
// A thread created with a stack of the caller's runs on that memory, which may be used again after
// the join.
#include "../harness.h"

#define SIZE (256 * 1024)

static char *stack;

static void *body(void *arg)
{
	char here;
	char *p = (char *)(intptr_t)&here;

	CHECK(p >= stack && p < stack + SIZE);
	return arg;
}

static char tag;

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstack(&a, stack, SIZE));
	for (int i = 0; i < 10; i++) {
		CHECK_OK(pthread_create(&t, &a, body, &tag));
		CHECK(join(t) == &tag);
		memset(stack, 0xaa, SIZE);
	}
	CHECK_OK(munmap(stack, SIZE));
}

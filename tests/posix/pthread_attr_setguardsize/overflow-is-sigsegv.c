// SPDX-License-Identifier: BSD-2-Clause
// Running over the end of a stack hits the guard: the process gets SIGSEGV.
#include "../harness.h"

static int __attribute__((noinline)) eat(int depth)
{
	volatile char page[1024];

	page[0] = (char)depth;
	return depth < 0 ? 0 : eat(depth + 1) + page[0];
}

static void *body(void *arg UNUSED)
{
	return (void *)(intptr_t)eat(1);
}

static void child(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 128 * 1024));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	join(t);
}

int main(void)
{
	int status = in_child(child);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

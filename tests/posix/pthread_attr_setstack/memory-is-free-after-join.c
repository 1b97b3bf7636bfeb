// SPDX-License-Identifier: BSD-2-Clause
// When a thread with a stack of the program's has been joined, the memory may be unmapped.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

int main(void)
{
	for (int i = 0; i < 30; i++) {
		size_t bytes = 1 << 18;
		char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_attr_t a;
		pthread_t t;

		CHECK(p != MAP_FAILED);
		CHECK_OK(pthread_attr_init(&a));
		CHECK_OK(pthread_attr_setstack(&a, p, bytes));
		CHECK_OK(pthread_create(&t, &a, body, p));
		CHECK(join(t) == p);
		CHECK_OK(munmap(p, bytes));
		CHECK_OK(pthread_attr_destroy(&a));
	}
}

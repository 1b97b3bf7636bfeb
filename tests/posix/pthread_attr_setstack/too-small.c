// SPDX-License-Identifier: BSD-2-Clause
// A stack below PTHREAD_STACK_MIN is refused with EINVAL, and the attributes stay as they were.
#include "../harness.h"

int main(void)
{
	static char memory[65536] __attribute__((aligned(4096)));
	pthread_attr_t a;
	void *p;
	size_t n;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_EQ(pthread_attr_setstack(&a, memory, 1024), EINVAL);
	CHECK_OK(pthread_attr_setstack(&a, memory, sizeof memory));
	CHECK_OK(pthread_attr_getstack(&a, &p, &n));
	CHECK(p == memory && n == sizeof memory);
	CHECK_EQ(pthread_attr_setstack(&a, memory, 1024), EINVAL);
	CHECK_OK(pthread_attr_getstack(&a, &p, &n));
	CHECK(p == memory && n == sizeof memory);
}

// SPDX-License-Identifier: BSD-2-Clause
// With a stack of the program's own no guard is put anywhere, and none is told of: the memory around stays usable.
#include "../harness.h"

static void *body(void *arg)
{
	pthread_attr_t a;
	size_t guard = 99;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getguardsize(&a, &guard));
	CHECK_EQ(guard, 0);
	return arg;
}

int main(void)
{
	size_t bytes = 1 << 18;
	char *p = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	pthread_t t;

	CHECK(p != MAP_FAILED);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstack(&a, p + bytes, bytes));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	memset(p, 1, bytes);
	memset(p + 2 * bytes, 1, bytes);
	p[bytes] = 1;
	join(t);
	memset(p, 2, 3 * bytes);
}

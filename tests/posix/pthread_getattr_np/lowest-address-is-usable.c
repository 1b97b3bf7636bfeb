// SPDX-License-Identifier: BSD-2-Clause
// All of the stack that pthread_getattr_np reports can be touched (garbage collectors scan it).
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	pthread_attr_t a;
	void *base;
	size_t size;
	volatile char sum = 0;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &base, &size));
	for (size_t i = 0; i < size; i += 4096)
		sum += ((volatile char *)base)[i];
	sum += ((volatile char *)base)[size - 1];
	return (void *)1;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 512 * 1024));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	CHECK(join(t) == (void *)1);
}

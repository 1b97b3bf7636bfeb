// SPDX-License-Identifier: BSD-2-Clause
// pthread_getattr_np reports the stack that the thread really runs on, in the initial thread too.
#include "../harness.h"

static void look(size_t at_least)
{
	pthread_attr_t a;
	void *base;
	size_t size;
	char here;
	uintptr_t p = (uintptr_t)&here;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &base, &size));
	CHECK(p >= (uintptr_t)base && p < (uintptr_t)base + size);
	CHECK(size >= at_least);
	CHECK_OK(pthread_attr_destroy(&a));
}

static void *body(void *arg)
{
	look((size_t)arg);
	return NULL;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	look(65536);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 512 * 1024));
	CHECK_OK(pthread_create(&t, &a, body, (void *)(256 * 1024)));
	join(t);
	join(spawn(body, (void *)65536));
}

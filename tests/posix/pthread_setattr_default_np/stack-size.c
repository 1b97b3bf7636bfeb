// SPDX-License-Identifier: BSD-2-Clause
// The default stack size set by pthread_setattr_default_np is what later threads without
// attributes get.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	pthread_attr_t a;
	size_t size = 0;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstacksize(&a, &size));
	return (void *)size;
}

int main(void)
{
	pthread_attr_t a;
	size_t size = 0;

	CHECK_OK(pthread_getattr_default_np(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 3 << 20));
	CHECK_OK(pthread_setattr_default_np(&a));
	CHECK_OK(pthread_getattr_default_np(&a));
	CHECK_OK(pthread_attr_getstacksize(&a, &size));
	CHECK_EQ(size, 3 << 20);
	size = (size_t)join(spawn(body, NULL));
	CHECK(size >= (3 << 20) - 65536 && size <= (3 << 20) + 65536);
}

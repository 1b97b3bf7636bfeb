// SPDX-License-Identifier: BSD-2-Clause
// A thread can use about as much stack as its stack size attribute says.
#include "../harness.h"

#define SIZE (4 << 20)

static void *body(void *arg UNUSED)
{
	volatile char big[SIZE - 128 * 1024];

	for (size_t i = 0; i < sizeof big; i += 4096)
		big[i] = 1;
	return (void *)(intptr_t)big[4096];
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	size_t size = 0;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, SIZE));
	CHECK_OK(pthread_attr_getstacksize(&a, &size));
	CHECK_EQ(size, SIZE);
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	CHECK_EQ((intptr_t)join(t), 1);
}

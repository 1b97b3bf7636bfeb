// SPDX-License-Identifier: BSD-2-Clause
// One attribute object may make many threads, also at once.
#include "../harness.h"

static pthread_attr_t a;
static atomic_int ran;

static void *child(void *arg)
{
	ran++;
	return arg;
}

static void *creator(void *arg)
{
	pthread_t t[10];

	for (int i = 0; i < 10; i++)
		CHECK_OK(pthread_create(&t[i], &a, child, NULL));
	join_many(t, 10);
	return arg;
}

int main(void)
{
	pthread_t t[4];

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 65536));
	spawn_many(t, 4, creator);
	join_many(t, 4);
	CHECK_EQ(ran, 40);
}

// SPDX-License-Identifier: BSD-2-Clause
// No pthread_once returns before the routine has.
#include "../harness.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int value;

static void init(void)
{
	sleep_ms(30);
	value = 42;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_once(&once, init));
	CHECK_EQ(value, 42);
	return arg;
}

int main(void)
{
	pthread_t t[8];

	spawn_many(t, 8, body);
	join_many(t, 8);
}

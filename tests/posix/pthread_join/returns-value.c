// SPDX-License-Identifier: BSD-2-Clause
// pthread_join stores what the thread passed to pthread_exit or returned.
#include "../harness.h"

static void *returns(void *arg)
{
	return arg;
}

static void *exits(void *arg)
{
	pthread_exit(arg);
}

int main(void)
{
	int x;

	CHECK(join(spawn(returns, &x)) == &x);
	CHECK(join(spawn(exits, &x)) == &x);
	CHECK_OK(pthread_join(spawn(returns, &x), NULL));
}

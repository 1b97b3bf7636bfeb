// SPDX-License-Identifier: BSD-2-Clause
// pthread_cleanup_pop calls the handler when its argument is not 0, and takes it away in any case.
#include "../harness.h"

static int calls;

static void clean(void *arg)
{
	calls += *(int *)arg;
}

static void *body(void *arg)
{
	int one = 1, ten = 10;

	pthread_cleanup_push(clean, &one);
	pthread_cleanup_push(clean, &ten);
	pthread_cleanup_pop(0);
	CHECK_EQ(calls, 0);
	pthread_cleanup_pop(1);
	CHECK_EQ(calls, 1);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
	CHECK_EQ(calls, 1);
}

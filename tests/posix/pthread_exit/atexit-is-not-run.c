// SPDX-License-Identifier: BSD-2-Clause
// The end of a thread that is not the last one runs no atexit handlers.
#include "../harness.h"

static atomic_int calls;

static void at_exit(void)
{
	calls++;
}

static void *body(void *arg)
{
	pthread_exit(arg);
}

int main(void)
{
	CHECK_OK(atexit(at_exit));
	for (int i = 0; i < 10; i++)
		join(spawn(body, NULL));
	CHECK_EQ(calls, 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// When the initial thread calls pthread_exit the process goes on; when the last thread ends, it
// exits with status 0 and runs atexit handlers.
#include "../harness.h"

static int *shared;

static void at_exit(void)
{
	shared[1] = 1;
}

static void *body(void *arg UNUSED)
{
	sleep_ms(50);
	shared[0] = 1;
	return NULL;
}

static void child(void)
{
	atexit(at_exit);
	spawn(body, NULL);
	pthread_exit((void *)1);
}

int main(void)
{
	shared = shared_memory(2 * sizeof *shared);
	CHECK_EQ(in_child(child), 0);
	CHECK_EQ(shared[0], 1);
	CHECK_EQ(shared[1], 1);
}

// SPDX-License-Identifier: BSD-2-Clause
// In the child of a process with threads, main makes a thread and leaves by pthread_exit: the process went with it.
#include "../posix/harness.h"

static void *works(void *arg)
{
	sleep_ms(50);
	_exit(7);
	return arg;
}

static void child(void)
{
	spawn(works, NULL);
	pthread_exit(NULL);
}

int main(void)
{
	join(spawn(nothing, NULL));
	CHECK_EQ(WEXITSTATUS(in_child(child)), 7);
}

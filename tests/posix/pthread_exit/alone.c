// SPDX-License-Identifier: BSD-2-Clause
// The only thread of a process calls pthread_exit: the process exits with status 0.
#include "../harness.h"

static void child(void)
{
	pthread_exit((void *)7);
}

int main(void)
{
	CHECK_EQ(in_child(child), 0);
}

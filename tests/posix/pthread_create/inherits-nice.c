// SPDX-License-Identifier: BSD-2-Clause
// On Linux a nice value belongs to a thread, and new threads have their creator's.
#include "../harness.h"

#include <sys/resource.h>

static void *child(void *arg UNUSED)
{
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 5);
	return NULL;
}

static void *creator(void *arg UNUSED)
{
	CHECK_OK(setpriority(PRIO_PROCESS, 0, 5));
	join(spawn(child, NULL));
	return NULL;
}

static void *plain(void *arg UNUSED)
{
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 0);
	return NULL;
}

int main(void)
{
	if (getpriority(PRIO_PROCESS, 0) != 0)
		setpriority(PRIO_PROCESS, 0, 0);
	if (getpriority(PRIO_PROCESS, 0) != 0)
		skip("the process has a nice value of its own");
	join(spawn(creator, NULL));
	join(spawn(plain, NULL));
}

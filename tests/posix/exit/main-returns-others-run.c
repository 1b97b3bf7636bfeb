// SPDX-License-Identifier: BSD-2-Clause
// Returning from main ends the process although other threads compute or wait.
#include "../harness.h"

static void *computes(void *arg UNUSED)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

static void *waits(void *arg UNUSED)
{
	for (;;)
		pause();
	return NULL;
}

static void child(void)
{
	spawn(computes, NULL);
	spawn(waits, NULL);
	settle();
	exit(6);
}

int main(void)
{
	int status = in_child(child);

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 6);
}

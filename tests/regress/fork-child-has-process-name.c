// SPDX-License-Identifier: BSD-2-Clause
// The child of a thread that has a name of its own has that name, also for the kernel.
#include "../posix/harness.h"

static void child(void)
{
	char text[32] = "";
	int fd = open("/proc/self/comm", O_RDONLY);

	CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
	CHECK_EQ(strcmp(text, "forker\n"), 0);
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setname_np(pthread_self(), "forker"));
	CHECK_EQ(in_child(child), 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

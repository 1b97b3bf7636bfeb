// SPDX-License-Identifier: BSD-2-Clause
// The monitor, which starts with the first thread, read the quota where the program sees it, if it came to that
// before the clerk had started: the program did not get the lowest free descriptor.
#include "../posix/harness.h"

enum { CHILDREN = 200, OPENS = 400 };

static void *opener(void *arg)
{
	int lowest = (int)(intptr_t)arg;

	for (int i = 0; i < OPENS; i++) {
		int fd = open("/dev/null", O_RDONLY);

		CHECK_EQ(fd, lowest);
		CHECK_OK(close(fd));
	}
	return NULL;
}

static void child(void)
{
	int lowest = open("/dev/null", O_RDONLY);

	CHECK(lowest >= 0);
	CHECK_OK(close(lowest));
	join(spawn(opener, (void *)(intptr_t)lowest));
	_exit(0);
}

int main(void)
{
	for (int i = 0; i < CHILDREN; i++)
		CHECK_EQ(in_child(child), 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// open of a FIFO that nobody has at the other end is a cancellation point.
#include "../cancel.h"

static void call(void *arg)
{
	CHECK(open(arg, O_RDONLY) != -1);
}

int main(void)
{
	const char *path = fresh_path();

	CHECK_OK(mkfifo(path, 0600));
	check_cancels(call, (void *)(intptr_t)path);
	CHECK_OK(unlink(path));
}

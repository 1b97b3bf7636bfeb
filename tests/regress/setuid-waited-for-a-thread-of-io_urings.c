// SPDX-License-Identifier: BSD-2-Clause
// The kernel's own threads that serve an io_uring are listed among those of the process, and never answer.
#include "../posix/harness.h"
#include <linux/io_uring.h>

enum { ENTRIES = 4, IDLE_MS = 10000 };

static int ring;

static void *makes_a_ring(void *arg)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = IDLE_MS };

	ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
	return arg;
}

int main(void)
{
	join(spawn(makes_a_ring, NULL));
	if (ring < 0)
		skip("there is no io_uring, or it may have no thread");
	CHECK_OK(setuid(getuid()));
	CHECK_OK(setgid(getgid()));
	CHECK_OK(close(ring));
}

// SPDX-License-Identifier: BSD-2-Clause
// A blocking write that a signal of the runtime's own interrupted, here when another thread gives the writer a CPU
// mask, came back with what had been written so far.
#include "../posix/harness.h"

enum { ROUNDS = 50, BYTES = 1 << 20, FIRST = 3 << 16 };

static int pipe_fd[2];
static atomic_bool begins;
static char out[BYTES], in[BYTES];

static void *writes(void *arg)
{
	begins = true;
	CHECK_EQ(write(pipe_fd[1], out, BYTES), BYTES);
	return arg;
}

static void read_all(size_t bytes)
{
	while (bytes) {
		ssize_t n = read(pipe_fd[0], in, bytes);

		CHECK(n > 0);
		bytes -= (size_t)n;
	}
}

int main(void)
{
	cpu_set_t one;

	CHECK_OK(sched_getaffinity(0, sizeof(one), &one));
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &one) && n++)
			CPU_CLR(i, &one);
	CHECK_OK(pipe(pipe_fd));
	for (int i = 0; i < ROUNDS; i++) {
		begins = false;
		pthread_t writer = spawn(writes, NULL);

		while (!begins)
			sched_yield();
		read_all(FIRST);		/* some of it is written, the rest waits for room */
		CHECK_OK(pthread_setaffinity_np(writer, sizeof(one), &one));
		read_all(BYTES - FIRST);
		join(writer);
	}
}

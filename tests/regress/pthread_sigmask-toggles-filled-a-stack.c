// SPDX-License-Identifier: BSD-2-Clause
// The last of the threads that block a signal unblocks it, over and over: kernel threads, told of it each time, were
// interrupted faster than their handlers ran, one on top of the other, until a stack was full.  Nor may that
// cut a write short that blocks in the kernel meanwhile.
#include "../posix/harness.h"

#define BYTES (4 << 20)
#define STEP 4096

static int ends[2];
static atomic_bool is_written;

static void *writer(void *arg)
{
	char *data = calloc(1, BYTES);

	CHECK(data != NULL);
	settle();		/* where it goes on, nobody has been told yet */
	CHECK_EQ(write(ends[1], data, BYTES), BYTES);
	is_written = true;
	free(data);
	return arg;
}

static void toggle(void)
{
	unblock_signal(SIGUSR1);
	block_signal(SIGUSR1);
}

int main(void)
{
	char buf[STEP];
	pthread_t t;
	size_t n = 0;

	block_signal(SIGUSR1);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	t = spawn(writer, NULL);
	sleep_ms(100);
	while (n < BYTES) {
		ssize_t r = recv(ends[0], buf, sizeof buf, 0);

		CHECK(r > 0);
		n += (size_t)r;
		toggle();
	}
	join(t);
	CHECK(is_written);
}

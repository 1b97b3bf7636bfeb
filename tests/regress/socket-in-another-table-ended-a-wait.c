// SPDX-License-Identifier: BSD-2-Clause
// A thread with a table of descriptors of its own closes one and makes a socket by that number: who waits for the
// process's goes on waiting.
#include "../posix/harness.h"
#include <sys/socket.h>

static int pair[2];
static atomic_bool is_apart;

static void *reads(void *arg)
{
	char c = 0;

	CHECK_EQ(recv(pair[0], &c, 1, 0), 1);
	CHECK_EQ(c, 'x');
	return arg;
}

static void *is_another(void *arg)
{
	unshare_or_skip(CLONE_FILES);
	CHECK_OK(close(pair[0]));
	CHECK_EQ(socket(AF_INET, SOCK_STREAM, 0), pair[0]);
	is_apart = true;
	return arg;
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pthread_t reader = spawn(reads, NULL);

	settle();
	join(spawn(is_another, NULL));
	CHECK(is_apart);
	settle();
	CHECK_EQ(write(pair[1], "x", 1), 1);
	join(reader);
}

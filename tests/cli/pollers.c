// SPDX-License-Identifier: BSD-2-Clause
/* Threads that poll two descriptors each, over and over, and use the stack between. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PAIRS = 20, BYTES = 3000, DEPTH = 4, SECONDS = 20 };

static void use_stack(int depth)
{
	volatile char bytes[BYTES];

	for (int i = 0; i < BYTES; i++)
		bytes[i] = 0x5a;
	if (depth > 1)
		use_stack(depth - 1);
}

static void *polls(void *arg)
{
	const int *pair = arg;
	char c;

	for (;;) {
		struct pollfd fds[] = { { pair[0], POLLIN, 0 }, { pair[1], POLLIN, 0 } };

		if (poll(fds, 2, -1) < 1 || read(pair[0], &c, 1) != 1)
			return NULL;
		use_stack(DEPTH);
	}
}

static void *writes(void *arg)
{
	const int *pair = arg;

	while (write(pair[1], "", 1) == 1)
		usleep(100);
	return NULL;
}

int main(void)
{
	static int pairs[PAIRS][2];
	pthread_t t;

	for (int i = 0; i < PAIRS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]) || pthread_create(&t, NULL, polls, pairs[i]) ||
		    pthread_create(&t, NULL, writes, pairs[i]))
			return 1;
	sleep(SECONDS);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread that reads a terminal waits for a line; hanging up gives EIO at the other end.
#include "../harness.h"
#include <pty.h>

static int master, slave;

static void *body(void *arg UNUSED)
{
	char buf[64];

	for (int i = 0; i < 5; i++) {
		CHECK_EQ(read(slave, buf, sizeof buf), 6);
		CHECK(!memcmp(buf, "hello\n", 6));
	}
	CHECK_OK(close(slave));
	return NULL;
}

int main(void)
{
	char buf[256];
	pthread_t t;

	if (openpty(&master, &slave, NULL, NULL, NULL) == -1)
		skip("no pseudo-terminals here");
	t = spawn(body, NULL);
	for (int i = 0; i < 5; i++) {
		sleep_ms(1);
		CHECK_EQ(write(master, "hello\n", 6), 6);
	}
	join(t);
	while (read(master, buf, sizeof buf) > 0)
		;
	CHECK_EQ(errno, EIO);
}

// SPDX-License-Identifier: BSD-2-Clause
// A poll of three hundred descriptors with nothing to report ends with its timeout.
#include "../harness.h"

#include <sys/eventfd.h>

#define FDS 300

static void *body(void *arg)
{
	struct pollfd p[FDS];
	uint64_t start;

	for (int i = 0; i < FDS; i++)
		p[i] = (struct pollfd){ .fd = eventfd(0, EFD_NONBLOCK), .events = POLLIN, .revents = 99 };
	start = now_ns();
	CHECK_EQ(poll(p, FDS, 50), 0);
	CHECK(now_ns() - start >= 45000000);
	for (int i = 0; i < FDS; i++)
		CHECK_EQ(p[i].revents, 0);
	return arg;
}

static void *other(void *arg)
{
	sleep_ms(100);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(other, NULL);

	join(spawn(body, NULL));
	join(t);
}

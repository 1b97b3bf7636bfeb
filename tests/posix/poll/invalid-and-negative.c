// SPDX-License-Identifier: BSD-2-Clause
// poll ignores negative descriptors, tells POLLNVAL for closed ones, and returns at once then.
#include "../harness.h"

static void *body(void *arg)
{
	struct pollfd p[2] = { { .fd = -1, .events = POLLIN, .revents = 9 }, { .fd = 999, .events = POLLIN } };

	CHECK_EQ(poll(p, 2, -1), 1);
	CHECK_EQ(p[0].revents, 0);
	CHECK_EQ(p[1].revents, POLLNVAL);
	CHECK_EQ(poll(p, 1, 10), 0);
	CHECK_EQ(poll(NULL, 0, 5), 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// poll waits for its time, reports what is ready, POLLHUP and POLLNVAL, and ignores negative
// descriptors.
#include "../harness.h"

static int p[2];
static atomic_int step;

static void *body(void *arg UNUSED)
{
	struct pollfd f[3] = { { .fd = p[0], .events = POLLIN },
			       { .fd = p[1], .events = POLLOUT },
			       { .fd = -1, .events = POLLIN, .revents = 77 } };
	uint64_t start = now_ns();
	char c;

	CHECK_EQ(poll(f, 1, 40), 0);
	CHECK(now_ns() - start >= 40000000);
	CHECK_EQ(poll(f, 1, 0), 0);
	CHECK_EQ(poll(f, 3, -1), 1);
	CHECK_EQ(f[0].revents, 0);
	CHECK_EQ(f[1].revents, POLLOUT);
	CHECK_EQ(f[2].revents, 0);
	step = 1;
	CHECK_EQ(poll(f, 1, -1), 1);
	CHECK_EQ(f[0].revents, POLLIN);
	CHECK_EQ(read(p[0], &c, 1), 1);
	step = 2;
	CHECK_EQ(poll(f, 1, -1), 1);
	CHECK_EQ(f[0].revents, POLLHUP);
	f[0].fd = 999;
	CHECK_EQ(poll(f, 1, -1), 1);
	CHECK_EQ(f[0].revents, POLLNVAL);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	settle();
	CHECK_EQ(write(p[1], "x", 1), 1);
	WAIT_FOR(step == 2);
	settle();
	CHECK_OK(close(p[1]));
	join(t);
}

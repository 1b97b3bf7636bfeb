// SPDX-License-Identifier: BSD-2-Clause
// Threads that polled a descriptor which another closed, or put another file at, were woken before the kernel had done
// it, and began to watch the old file anew: what got the number was then waited for in vain.
#include "../posix/parked.h"

enum { TURNS = 10, POLLERS = 60 };

static int polled;
static int other[2];

static void *polls(void *arg)
{
	struct pollfd p = { .fd = polled, .events = POLLIN };

	poll(&p, 1, PATIENCE_MS);
	return arg;
}

static void *writes(void *arg)
{
	settle();
	CHECK_EQ(write(other[1], "x", 1), 1);
	return arg;
}

static void turn(bool by_dup)
{
	pthread_t pollers[POLLERS];
	int fds[2];

	CHECK_OK(pipe(fds));
	CHECK_OK(pipe(other));
	polled = fds[0];
	spawn_many(pollers, POLLERS, polls);
	settle();
	if (by_dup) {
		CHECK_EQ(dup2(other[0], polled), polled);
	} else {
		CHECK_OK(close(polled));
		CHECK_EQ(fcntl(other[0], F_DUPFD, polled), polled);
	}
	settle();
	pthread_t writer = spawn(writes, NULL);
	struct pollfd p = { .fd = polled, .events = POLLIN };

	CHECK_EQ(poll(&p, 1, -1), 1);
	join(writer);
	CHECK_OK(close(fds[1]));	/* some may poll the old file still */
	join_many(pollers, POLLERS);
	CHECK_OK(close(fds[0]));
	CHECK_OK(close(other[0]));
	CHECK_OK(close(other[1]));
}

static void *body(void *arg)
{
	for (int i = 0; i < TURNS; i++)
		turn(i % 2);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}

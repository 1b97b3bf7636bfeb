// SPDX-License-Identifier: BSD-2-Clause
// With O_NONBLOCK read fails with EAGAIN instead of waiting; clearing the flag makes it wait
// again; nobody else sees a change of flags.
#include "../harness.h"

static int p[2];
static atomic_bool waits;

static void *body(void *arg UNUSED)
{
	char c;

	CHECK_EQ(fcntl(p[0], F_GETFL) & O_NONBLOCK, 0);
	CHECK_OK(fcntl(p[0], F_SETFL, O_NONBLOCK));
	for (int i = 0; i < 5; i++)
		CHECK_ERRNO(read(p[0], &c, 1), EAGAIN);
	CHECK_OK(fcntl(p[0], F_SETFL, 0));
	waits = true;
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_EQ(fcntl(p[0], F_GETFL) & O_NONBLOCK, 0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_EQ(fcntl(p[0], F_GETFL) & O_NONBLOCK, 0);
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(t);
}

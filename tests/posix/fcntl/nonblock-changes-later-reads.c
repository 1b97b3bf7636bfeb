// SPDX-License-Identifier: BSD-2-Clause
// Setting O_NONBLOCK makes later reads EAGAIN, clearing it makes them wait again.
#include "../harness.h"

static int fd[2];
static atomic_bool waits_again;

static void *body(void *arg)
{
	char c;
	int flags = fcntl(fd[0], F_GETFL);

	CHECK_OK(fcntl(fd[0], F_SETFL, flags | O_NONBLOCK));
	CHECK_ERRNO(read(fd[0], &c, 1), EAGAIN);
	CHECK_ERRNO(read(fd[0], &c, 1), EAGAIN);
	CHECK_OK(fcntl(fd[0], F_SETFL, flags));
	waits_again = true;
	CHECK_EQ(read(fd[0], &c, 1), 1);
	return arg;
}

static void *writer(void *arg)
{
	WAIT_FOR(waits_again);
	settle();
	CHECK_EQ(write(fd[1], "x", 1), 1);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	CHECK_OK(pipe(fd));
	t[0] = spawn(body, NULL);
	t[1] = spawn(writer, NULL);
	join_many(t, 2);
}

// SPDX-License-Identifier: BSD-2-Clause
// Data written to one descriptor is read by a thread that waits on a duplicate.
#include "../harness.h"

static int p[2], d;

static void *body(void *arg UNUSED)
{
	char c = 0;

	CHECK_EQ(read(d, &c, 1), 1);
	CHECK_EQ(c, 'x');
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	d = dup(p[0]);
	CHECK(d >= 0);
	CHECK_OK(close(p[0]));
	t = spawn(body, NULL);
	settle();
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(t);
	CHECK_EQ(dup2(p[1], 200), 200);
	CHECK_EQ(write(200, "y", 1), 1);
	CHECK_EQ(dup3(p[1], 201, O_CLOEXEC), 201);
	CHECK_EQ(fcntl(201, F_GETFD), FD_CLOEXEC);
	CHECK_ERRNO(dup3(p[1], p[1], 0), EINVAL);
}

// SPDX-License-Identifier: BSD-2-Clause
// A poll for nothing in particular still ends with POLLHUP when the other side goes.
#include "../harness.h"

static int fd[2];
static atomic_bool in;

static void *body(void *arg)
{
	struct pollfd p = { .fd = fd[0] };

	in = true;
	CHECK_EQ(poll(&p, 1, 20000), 1);
	CHECK_EQ(p.revents, POLLHUP);
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(fd));
	t = spawn(body, NULL);
	WAIT_FOR(in);
	settle();
	CHECK_OK(close(fd[1]));
	join(t);
}

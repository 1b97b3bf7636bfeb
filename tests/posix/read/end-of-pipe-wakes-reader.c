// SPDX-License-Identifier: BSD-2-Clause
// A reader that waits is told the end (0) when the last writer closes.
#include "../harness.h"

static int fd[2];
static atomic_bool in;

static void *body(void *arg)
{
	char c;

	in = true;
	CHECK_EQ(read(fd[0], &c, 1), 0);
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

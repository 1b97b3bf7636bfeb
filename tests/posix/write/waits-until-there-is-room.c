// SPDX-License-Identifier: BSD-2-Clause
// A write to a full pipe waits until a reader has made room, and then all is written.
#include "../harness.h"

static int fd[2];
static atomic_bool done;

static void *body(void *arg)
{
	static char big[200000];

	CHECK_EQ(write(fd[1], big, sizeof big), (ssize_t)sizeof big);
	done = true;
	return arg;
}

int main(void)
{
	static char part[4096];
	size_t all = 0;
	pthread_t t;

	CHECK_OK(pipe(fd));
	t = spawn(body, NULL);
	settle();
	CHECK(!done);
	while (all < 200000) {
		ssize_t n = read(fd[0], part, sizeof part);

		CHECK(n > 0);
		all += (size_t)n;
	}
	join(t);
	CHECK(done);
}

// SPDX-License-Identifier: BSD-2-Clause
// With O_NONBLOCK a large write to a pipe writes what fits, then fails with EAGAIN.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	static char data[1 << 20];
	int p[2];
	ssize_t n;

	CHECK_OK(pipe2(p, O_NONBLOCK));
	n = write(p[1], data, sizeof data);
	CHECK(n > 0 && n < (ssize_t)sizeof data);
	CHECK_ERRNO(write(p[1], data, sizeof data), EAGAIN);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}

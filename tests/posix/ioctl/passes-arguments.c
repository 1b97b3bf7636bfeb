// SPDX-License-Identifier: BSD-2-Clause
// ioctl passes its argument on: FIONREAD counts, FIONBIO sets non-blocking.
#include "../harness.h"
#include <sys/ioctl.h>

static void *body(void *arg UNUSED)
{
	int p[2], n = -1, on = 1;
	char c;

	CHECK_OK(pipe(p));
	CHECK_EQ(write(p[1], "abc", 3), 3);
	CHECK_OK(ioctl(p[0], FIONREAD, &n));
	CHECK_EQ(n, 3);
	CHECK_OK(ioctl(p[0], FIONBIO, &on));
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_ERRNO(read(p[0], &c, 1), EAGAIN);
	CHECK_ERRNO(ioctl(p[0], TCGETS, &n), ENOTTY);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}

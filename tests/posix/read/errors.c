// SPDX-License-Identifier: BSD-2-Clause
// Errors come through: EBADF, EISDIR, EFAULT; a zero-length read returns zero at once.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	int p[2], d = open("/", O_RDONLY);
	char c, *volatile nowhere = (char *)8;

	CHECK_OK(pipe(p));
	CHECK_ERRNO(read(-1, &c, 1), EBADF);
	CHECK_ERRNO(read(p[1], &c, 1), EBADF);
	CHECK_ERRNO(write(p[0], &c, 1), EBADF);
	CHECK_ERRNO(read(d, &c, 1), EISDIR);
	CHECK_EQ(write(p[1], "x", 1), 1);
	CHECK_ERRNO(read(p[0], nowhere, 1), EFAULT);
	CHECK_EQ(read(p[0], &c, 0), 0);
	CHECK_ERRNO(lseek(p[0], 0, SEEK_SET), ESPIPE);
	return NULL;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}

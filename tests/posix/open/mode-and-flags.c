// SPDX-License-Identifier: BSD-2-Clause
// open, openat and creat pass mode and flags on: permission bits, O_CLOEXEC, O_EXCL, O_APPEND.
#include "../harness.h"

static void *body(void *arg)
{
	const char *path = arg;
	struct stat st;
	int fd;

	umask(0);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0641);
	CHECK(fd >= 0);
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	CHECK_OK(fstat(fd, &st));
	CHECK_EQ(st.st_mode & 07777, 0641);
	CHECK_ERRNO(open(path, O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
	CHECK_OK(close(fd));
	CHECK_OK(unlink(path));
	fd = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0604);
	CHECK_OK(fstat(fd, &st));
	CHECK_EQ(st.st_mode & 07777, 0604);
	CHECK(fcntl(fd, F_GETFL) & O_APPEND);
	CHECK_OK(close(fd));
	CHECK_OK(unlink(path));
	fd = creat(path, 0600);
	CHECK(fd >= 0);
	CHECK_OK(close(fd));
	CHECK_OK(unlink(path));
	CHECK_ERRNO(open(path, O_RDONLY), ENOENT);
	return NULL;
}

int main(void)
{
	join(spawn(body, (void *)(intptr_t)fresh_path()));
}

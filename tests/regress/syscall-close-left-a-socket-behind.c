// SPDX-License-Identifier: BSD-2-Clause
// A socket that was closed by number (libuv does) was still taken for one when a file had got its descriptor: writes
// failed with ENOTSOCK.  So it was with dup2, dup3 and close_range by number.
#include "../posix/harness.h"

#ifndef SYS_close_range		/* before glibc 2.33 */
#define SYS_close_range 436
#endif
#include <linux/close_range.h>
#include <sys/uio.h>

enum { CLOSED, CLOSED_RANGE, REPLACED, REPLACED_3, WAYS };

static void *waits(void *arg)
{
	pause();
	return arg;
}

/* The number of a socket that has been used, and is a file's now. */
static int file_in_place_of_a_socket(int way, int file)
{
	int s[2];
	char c;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK_EQ(write(s[0], "x", 1), 1);
	CHECK_EQ(read(s[1], &c, 1), 1);
	CHECK_OK(close(s[1]));
	if (way == CLOSED)
		CHECK_OK(syscall(SYS_close, s[0]));
	else if (way == CLOSED_RANGE)
		CHECK_OK(syscall(SYS_close_range, s[0], s[0], 0));
	else if (way == REPLACED)
		CHECK_EQ(syscall(SYS_dup3, file, s[0], O_CLOEXEC), s[0]);
	else
		CHECK_EQ(syscall(SYS_dup3, file, s[0], 0), s[0]);
	if (way == CLOSED || way == CLOSED_RANGE)
		CHECK_EQ(fcntl(file, F_DUPFD, s[0]), s[0]);
	return s[0];
}

int main(void)
{
	int file = memfd_create("file", 0);
	struct iovec v[2] = { { "ab", 2 }, { "cd", 2 } };

	CHECK(file >= 0);
	spawn(waits, NULL);
	for (int way = 0; way < WAYS; way++) {
		int fd = file_in_place_of_a_socket(way, file);
		char got[8];
		struct iovec to = { got, sizeof(got) };

		CHECK_OK(ftruncate(fd, 0));
		CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
		CHECK_EQ(write(fd, "abc", 3), 3);
		CHECK_EQ(writev(fd, v, 2), 4);
		CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
		CHECK_EQ(read(fd, got, 3), 3);
		CHECK_EQ(readv(fd, &to, 1), 4);
		CHECK(!memcmp(got, "abcd", 4));
		CHECK_OK(close(fd));
	}
}

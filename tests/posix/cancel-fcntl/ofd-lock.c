// SPDX-License-Identifier: BSD-2-Clause
// fcntl(F_OFD_SETLKW) on a range that another open file has locked is a cancellation point, and who is cancelled does
// not get the lock later.
#include "../cancel.h"

static struct flock whole(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET };
}

static void call(void *arg)
{
	struct flock l = whole(F_WRLCK);

	CHECK(fcntl(*(int *)arg, F_OFD_SETLKW, &l) != -1);
}

int main(void)
{
	const char *path = fresh_path();
	int holder = open(path, O_RDWR | O_CREAT, 0600), waiter = open(path, O_RDWR);
	struct flock l = whole(F_WRLCK);

	CHECK(holder >= 0 && waiter >= 0);
	CHECK_OK(unlink(path));
	CHECK_OK(fcntl(holder, F_OFD_SETLK, &l));
	check_cancels(call, &waiter);
	l = whole(F_UNLCK);
	CHECK_OK(fcntl(holder, F_OFD_SETLK, &l));
	l = whole(F_WRLCK);
	CHECK_OK(fcntl(holder, F_OFD_GETLK, &l));
	CHECK_EQ(l.l_type, F_UNLCK);
}

// SPDX-License-Identifier: BSD-2-Clause
// A read that fails at once does so beside threads that wait: from the wrong end of a pipe, of too little from an eventfd or
// a timerfd (these waited where pipes cannot be read without waiting), and of more bytes than there may be (which was another
// error, or waited).
#include "../posix/parked.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static volatile size_t too_many = SIZE_MAX;		/* the compiler is not to know */

static void *waits(void *arg)
{
	char byte;

	CHECK_EQ(read(*(int *)arg, &byte, 1), 0);
	return arg;
}

static void *reads(void *arg)
{
	int ends[2], pair[2], event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct iovec most = { NULL, SIZE_MAX };
	char bytes[8];

	CHECK_OK(pipe(ends));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	most.iov_base = bytes;
	for (int i = 0; i < 3; i++) {
		CHECK_ERRNO(read(ends[1], bytes, 1), EBADF);
		CHECK_ERRNO(read(event, bytes, 4), EINVAL);
		CHECK_ERRNO(read(timer, bytes, 4), EINVAL);
		CHECK_ERRNO(read(ends[0], bytes, too_many), EFAULT);
		CHECK_ERRNO(read(event, bytes, too_many), EFAULT);
		CHECK_ERRNO(read(pair[0], bytes, too_many), EFAULT);
		CHECK_ERRNO(write(ends[1], bytes, too_many), EFAULT);
		CHECK_ERRNO(write(pair[1], bytes, too_many), EFAULT);
		CHECK_ERRNO(readv(ends[0], &most, 1), EINVAL);
	}
	return arg;
}

int main(void)
{
	int ends[2];

	CHECK_OK(pipe(ends));
	pthread_t waiter = spawn(waits, &ends[0]);

	settle();
	join(spawn(reads, NULL));
	close(ends[1]);
	join(waiter);
}

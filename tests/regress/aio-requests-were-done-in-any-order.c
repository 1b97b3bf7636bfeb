// SPDX-License-Identifier: BSD-2-Clause
// Requests of a thread to append to one file are done in the order in which they were made: each had a priority of its own,
// which was whatever lay on the stack.  Nor does one that succeeds leave an errno.
#include "../posix/harness.h"

#include <aio.h>

enum { N = 40, BYTES = 8 << 20 };

static struct aiocb requests[N], first;
static char letters[N], big[BYTES];

static __attribute__((noinline)) int litter_stack(int value)
{
	volatile int words[2000];

	for (int i = 0; i < 2000; i++)
		words[i] = value;
	return words[value];
}

static void *appends(void *arg)
{
	char got[N];
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_APPEND, 0600);

	if (fd < 0)
		skip("no unnamed files in /tmp");
	first = (struct aiocb){ .aio_fildes = fd, .aio_buf = big, .aio_nbytes = BYTES };
	first.aio_sigevent.sigev_notify = SIGEV_NONE;
	CHECK_OK(aio_write(&first));
	for (int i = 0; i < N; i++) {
		letters[i] = (char)('0' + i);
		requests[i] = (struct aiocb){ .aio_fildes = fd, .aio_buf = &letters[i], .aio_nbytes = 1 };
		requests[i].aio_sigevent.sigev_notify = SIGEV_NONE;
		CHECK_EQ(litter_stack((i * 7919) % 1000), (i * 7919) % 1000);
		errno = 0;
		CHECK_OK(aio_write(&requests[i]));
		CHECK_EQ(errno, 0);
	}
	for (int i = 0; i < N; i++) {
		const struct aiocb *list[] = { &requests[i] };

		while (aio_error(&requests[i]) == EINPROGRESS)
			CHECK_OK(aio_suspend(list, 1, NULL));
		CHECK_EQ(aio_return(&requests[i]), 1);
	}
	CHECK_EQ(pread(fd, got, N, BYTES), N);
	CHECK(!memcmp(got, letters, N));
	close(fd);
	return arg;
}

int main(void)
{
	join(spawn(appends, NULL));
	join(spawn(appends, NULL));
}

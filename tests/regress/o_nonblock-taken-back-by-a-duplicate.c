// SPDX-License-Identifier: BSD-2-Clause
// O_NONBLOCK that was seen by one descriptor and is taken back by its duplicate: writes are whole again, beside threads that
// compute, and reads wait.
#include "../posix/harness.h"
#include <sys/ioctl.h>

enum { BYTES = 1 << 18, WRITES = 20 };

static int ends[2], twin;
static atomic_bool is_over;
static char bytes[BYTES];

static void *computes(void *arg)
{
	(void)arg;
	while (!is_over)
		;
	return NULL;
}

static void *reads(void *arg)
{
	char some[4096];
	long all = 0, r;

	for (int i = 1; (r = read(ends[0], some, sizeof(some))) > 0; i++) {
		all += r;
		if (i % 8 == 0)
			usleep(100);
	}
	CHECK(r == 0);
	*(long *)arg = all;
	return NULL;
}

static void set(int fd, bool is_nonblocking, bool by_ioctl)
{
	int value = is_nonblocking;

	if (by_ioctl)
		CHECK(ioctl(fd, FIONBIO, &value) == 0);
	else
		CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0 &&
		      (!is_nonblocking || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0));
}

static void check(bool is_socket, bool by_ioctl)
{
	long before = 0, got = 0;
	pthread_t reader;

	if (is_socket) {
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		int end = ends[0];

		ends[0] = ends[1], ends[1] = end;
	} else {
		CHECK(pipe(ends) == 0);
	}
	twin = dup(ends[1]);
	set(ends[1], true, by_ioctl);
	for (long r; (r = write(ends[1], bytes, 4096)) > 0;)
		before += r;
	CHECK(errno == EAGAIN);
	set(twin, false, by_ioctl);
	CHECK_OK(pthread_create(&reader, NULL, reads, &got));
	for (int i = 0; i < WRITES; i++)
		CHECK(write(ends[1], bytes, BYTES) == BYTES);
	CHECK(close(ends[1]) == 0);
	CHECK(close(twin) == 0);
	CHECK_OK(pthread_join(reader, NULL));
	CHECK(got == before + (long)WRITES * BYTES);
	CHECK(close(ends[0]) == 0);
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		CHECK_OK(pthread_create(&t[i], NULL, computes, NULL));
	for (int i = 0; i < 4; i++)
		check(i & 1, i & 2);
	is_over = true;
	for (int i = 0; i < 2; i++)
		CHECK_OK(pthread_join(t[i], NULL));
	return 0;
}

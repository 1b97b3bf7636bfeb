// SPDX-License-Identifier: BSD-2-Clause
// What a thread with a table of descriptors of its own (unshare, close_range) closes is open in the others, which wait on.
#include "../harness.h"
#include <linux/close_range.h>

#ifndef SYS_close_range		/* glibc 2.31 */
#define SYS_close_range 436
#endif

static int fds[2];
static atomic_int waiting, got;

static void *reads(void *arg)
{
	char byte;

	waiting++;
	CHECK_EQ(read(fds[0], &byte, 1), 1);
	got++;
	return arg;
}

static void *child(void *arg)
{
	CHECK_ERRNO(fcntl(fds[0], F_GETFD), EBADF);
	return arg;
}

static void *closes(void *arg)
{
	bool by_range = arg != NULL;

	if (by_range) {
		CHECK_OK(syscall(SYS_close_range, fds[0], fds[0], CLOSE_RANGE_UNSHARE));
	} else {
		unshare_or_skip(CLONE_FILES);
		CHECK_OK(close(fds[0]));
	}
	for (int i = 0; i < 20; i++) {
		usleep(300);
		CHECK_ERRNO(fcntl(fds[0], F_GETFD), EBADF);
	}
	join(spawn(child, NULL));
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	CHECK_OK(pipe(fds));
	spawn_many(t, 2, reads);
	WAIT_FOR(waiting == 2);
	settle();
	join(spawn(closes, NULL));
	join(spawn(closes, fds));
	for (int i = 0; i < 20; i++) {
		CHECK(fcntl(fds[0], F_GETFD) >= 0);
		usleep(300);
	}
	CHECK_EQ(got, 0);
	CHECK_EQ(write(fds[1], "xx", 2), 2);
	join_many(t, 2);
}

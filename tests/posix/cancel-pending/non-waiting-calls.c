// SPDX-License-Identifier: BSD-2-Clause
// A pending request is acted on at required cancellation points even if the call would not wait.
#include "../cancel.h"

static int null_fd;

static void with_write(void *arg UNUSED)
{
	CHECK(write(null_fd, "x", 1) != -1);
}

static void with_open(void *arg UNUSED)
{
	CHECK(open("/dev/null", O_RDONLY) != -1);
}

static void with_close(void *arg)
{
	close(*(int *)arg);
}

static void with_fsync(void *arg UNUSED)
{
	fsync(null_fd);
}

static void with_pread(void *arg UNUSED)
{
	char c;

	CHECK(pread(null_fd, &c, 1, 0) != -1);
}

static void with_sem(void *arg)
{
	sem_wait(arg);
}

static void with_poll(void *arg UNUSED)
{
	poll(NULL, 0, 0);
}

int main(void)
{
	sem_t s;
	int fd;

	null_fd = open("/dev/null", O_RDWR);
	CHECK(null_fd >= 0);
	fd = dup(null_fd);
	CHECK_OK(sem_init(&s, 0, 1));
	check_cancels_pending(with_write, NULL);
	check_cancels_pending(with_open, NULL);
	check_cancels_pending(with_close, &fd);
	check_cancels_pending(with_fsync, NULL);
	check_cancels_pending(with_pread, NULL);
	check_cancels_pending(with_sem, &s);
	check_cancels_pending(with_poll, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread that calls functions of the C library for the first time needs no lock of the loader's: its holder,
// here a dlopen that reads a pipe, may wait for that very thread.
#include "../posix/harness.h"

#include <dlfcn.h>

static char path[] = "/tmp/upcall-fifo-XXXXXX";

static void *loads(void *arg UNUSED)
{
	CHECK(dlopen(path, RTLD_NOW) == NULL);
	return NULL;
}

static void calls(pthread_t other)
{
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec soon = { 0, 1000 };
	int fd[2];
	char c;

	CHECK_OK(pipe(fd));
	CHECK_EQ(write(fd[1], "x", 1), 1);
	CHECK_EQ(read(fd[0], &c, 1), 1);
	CHECK_OK(close(fd[0]));
	CHECK_OK(close(fd[1]));
	CHECK_OK(pthread_rwlock_rdlock(&rwlock));
	CHECK_OK(pthread_rwlock_unlock(&rwlock));
	CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL));
	CHECK(join(other) == path);
}

int main(void)
{
	pthread_t other = spawn(nothing, path), t;
	int fd;

	CHECK(mkdtemp(path) != NULL);		/* a name that nobody else has */
	CHECK_OK(rmdir(path));
	CHECK_OK(mkfifo(path, 0600));
	t = spawn(loads, NULL);
	do
		fd = open(path, O_WRONLY | O_NONBLOCK);
	while (fd < 0 && errno == ENXIO && (sleep_ms(1), true));
	CHECK(fd >= 0);
	CHECK_OK(unlink(path));
	calls(other);
	CHECK_OK(close(fd));
	join(t);
}

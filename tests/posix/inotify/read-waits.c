// SPDX-License-Identifier: BSD-2-Clause
// A thread that reads an inotify descriptor is woken by a change.
#include "../harness.h"
#include <sys/inotify.h>

static int fd;

static void *body(void *arg)
{
	union {
		struct inotify_event e;
		char space[4096];
	} buf;

	CHECK(read(fd, &buf, sizeof buf) >= (ssize_t)sizeof buf.e);
	CHECK(buf.e.mask & IN_MODIFY);
	return arg;
}

int main(void)
{
	const char *path = fresh_path();
	int file = open(path, O_RDWR | O_CREAT, 0600);
	pthread_t t;

	fd = inotify_init1(IN_CLOEXEC);
	if (fd == -1)
		skip("no inotify here");
	CHECK(inotify_add_watch(fd, path, IN_MODIFY) >= 0);
	t = spawn(body, NULL);
	settle();
	CHECK_EQ(write(file, "x", 1), 1);
	join(t);
	CHECK_OK(unlink(path));
}

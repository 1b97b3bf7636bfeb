// SPDX-License-Identifier: BSD-2-Clause
// vfork and posix_spawn are no cancellation points, and are not broken off while they wait for the child to execute its
// program, or to end: the request is acted on later, and the child is there.
#include "../cancel-holding.h"

#include <spawn.h>

static const char *fifo;
static pid_t child;

/* The child opens the FIFO before it executes the program: that takes until somebody writes to it. */
static void spawns(void *arg UNUSED)
{
	posix_spawn_file_actions_t actions;

	CHECK_OK(posix_spawn_file_actions_init(&actions));
	CHECK_OK(posix_spawn_file_actions_addopen(&actions, 0, fifo, O_RDONLY, 0));
	CHECK_OK(posix_spawn(&child, "/bin/sh", &actions, NULL, (char *[]){ "sh", "-c", "exit 5", NULL }, NULL));
	CHECK_OK(posix_spawn_file_actions_destroy(&actions));
}

static void vforks(void *arg UNUSED)
{
	pid_t pid = vfork();

	if (pid == 0) {
		syscall(SYS_openat, AT_FDCWD, fifo, O_RDONLY);
		_exit(5);
	}
	child = pid;
}

static void check(void (*call)(void *))
{
	struct holder h;
	int status, fd;

	holder_begin(&h, call, NULL);
	settle();
	CHECK_OK(pthread_cancel(h.thread));
	settle();
	CHECK(!h.returned && !h.cleaned);
	fd = open(fifo, O_WRONLY);
	CHECK(fd >= 0);
	CHECK_OK(close(fd));
	holder_end(&h);
	CHECK(h.returned);
	CHECK(child > 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 5 << 8);
}

int main(void)
{
	fifo = fresh_path();
	CHECK_OK(mkfifo(fifo, 0600));
	check(spawns);
	check(vforks);
	CHECK_OK(unlink(fifo));
}

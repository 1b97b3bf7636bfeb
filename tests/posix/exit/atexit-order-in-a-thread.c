// SPDX-License-Identifier: BSD-2-Clause
// exit called by a thread runs the atexit handlers, newest first, and flushes stdio.
#include "../harness.h"

static int fd[2];

static void one(void)
{
	CHECK_EQ(write(fd[1], "1", 1), 1);
}

static void two(void)
{
	CHECK_EQ(write(fd[1], "2", 1), 1);
}

static void *leaves(void *arg)
{
	FILE *f = fdopen(fd[1], "w");

	fputs("x", f);
	exit((int)(intptr_t)arg);
}

static void child(void)
{
	atexit(one);
	atexit(two);
	join(spawn(leaves, (void *)259));
}

int main(void)
{
	char text[4] = "";
	int status;

	CHECK_OK(pipe(fd));
	status = in_child(child);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	CHECK_EQ(read(fd[0], text, 3), 3);
	CHECK_EQ(strcmp(text, "21x"), 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// exit from a thread ends the process with its status; atexit handlers run once, in reverse order,
// stdio is flushed.
#include "../harness.h"

static int out;

static void first(void)
{
	CHECK_EQ(write(out, "1", 1), 1);
}

static void second(void)
{
	CHECK_EQ(write(out, "2", 1), 1);
}

static void *waits(void *arg UNUSED)
{
	for (;;)
		pause();
	return NULL;
}

static void *body(void *arg UNUSED)
{
	dprintf(out, "0");
	exit(11);
}

static void child(void)
{
	FILE *f = fdopen(dup(out), "w");

	atexit(first);
	atexit(second);
	for (int i = 0; i < 3; i++)
		spawn(waits, NULL);
	fputs("b", f);
	join(spawn(body, NULL));
}

int main(void)
{
	char buf[16] = { 0 };
	int p[2], status;

	CHECK_OK(pipe(p));
	out = p[1];
	status = in_child(child);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 11);
	CHECK_OK(close(p[1]));
	CHECK_EQ(read(p[0], buf, sizeof buf), 4);
	CHECK(!strcmp(buf, "021b"));
}

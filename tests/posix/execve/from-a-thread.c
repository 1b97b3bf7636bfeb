// SPDX-License-Identifier: BSD-2-Clause
// exec from a thread replaces the process: other threads vanish, the PID and the caller's mask
// stay.
#include "../harness.h"

static void *other(void *arg UNUSED)
{
	for (;;)
		sleep_ms(1);
	return NULL;
}

static void *body(void *arg)
{
	char script[80];

	sprintf(script, "test $$ = %d && exit 9", (int)getpid());
	execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	return arg;
}

static void child(void)
{
	for (int i = 0; i < 3; i++)
		spawn(other, NULL);
	join(spawn(body, NULL));
}

int main(void)
{
	int status = in_child(child);

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 9);
}

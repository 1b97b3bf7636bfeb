// SPDX-License-Identifier: BSD-2-Clause
// Starting threads and waiting takes no low descriptor away from the program.
#include "../harness.h"

static int p[2];

static void *body(void *arg UNUSED)
{
	char c;

	CHECK_EQ(read(p[0], &c, 1), 1);
	sleep_ms(1);
	return NULL;
}

int main(void)
{
	int before, after;
	pthread_t t[4];

	CHECK_OK(pipe(p));
	before = dup(0);
	CHECK_OK(close(before));
	spawn_many(t, 4, body);
	settle();
	after = dup(0);
	CHECK_EQ(after, before);
	CHECK_OK(close(after));
	CHECK_EQ(write(p[1], "xxxx", 4), 4);
	join_many(t, 4);
}

// SPDX-License-Identifier: BSD-2-Clause
// Two threads that poll one descriptor are both told, and a reader may wait beside them.
#include "../harness.h"

static int p[2];
static atomic_int told;

static void *body(void *arg UNUSED)
{
	struct pollfd f = { .fd = p[0], .events = POLLIN };

	CHECK_EQ(poll(&f, 1, -1), 1);
	CHECK_EQ(f.revents, POLLIN);
	told++;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	CHECK_OK(pipe(p));
	spawn_many(t, 2, body);
	settle();
	CHECK_EQ(write(p[1], "x", 1), 1);
	join_many(t, 2);
	CHECK_EQ(told, 2);
}

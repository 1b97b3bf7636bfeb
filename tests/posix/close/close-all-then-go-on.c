// SPDX-License-Identifier: BSD-2-Clause
// A program that closes every descriptor from 3 up, as daemons do, goes on working with its
// threads.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	int p[2];
	char c;
	struct pollfd f;

	CHECK_OK(pipe(p));
	f = (struct pollfd){ .fd = p[0], .events = POLLIN };
	CHECK_EQ(poll(&f, 1, 5), 0);
	CHECK_EQ(write(p[1], "x", 1), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	sleep_ms(2);
	CHECK_OK(close(p[0]));
	CHECK_OK(close(p[1]));
	return NULL;
}

static void work(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
}

int main(void)
{
	work();
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	work();
#if __GLIBC_PREREQ(2, 34)
	closefrom(3);
	work();
	CHECK_OK(close_range(3, ~0u, 0));
	work();
#endif
}

// SPDX-License-Identifier: BSD-2-Clause
// Many threads, each waiting for many descriptors with poll, are woken by the right one.
#include "../harness.h"

#include <sys/eventfd.h>

#define THREADS 8
#define FDS 100

static int fds[THREADS][FDS];
static atomic_int in, right;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	struct pollfd p[FDS];

	for (int i = 0; i < FDS; i++)
		p[i] = (struct pollfd){ .fd = fds[me][i], .events = POLLIN };
	in++;
	CHECK_EQ(poll(p, FDS, 20000), 1);
	for (int i = 0; i < FDS; i++)
		CHECK_EQ(p[i].revents, i == me * 7 ? POLLIN : 0);
	right++;
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < FDS; j++)
			CHECK((fds[i][j] = eventfd(0, 0)) >= 0);
	spawn_many(t, THREADS, body);
	WAIT_FOR(in == THREADS);
	settle();
	CHECK_EQ(right, 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(eventfd_write(fds[i][i * 7], 1), 0);
	join_many(t, THREADS);
	CHECK_EQ(right, THREADS);
}

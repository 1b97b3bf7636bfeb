// SPDX-License-Identifier: BSD-2-Clause
// A poll for POLLRDHUP or POLLPRI alone was woken by data, found no event of its own, and told nobody of the data.
#include "../posix/parked.h"

static int ends[2];

static void *polls(void *arg)
{
	struct pollfd p = { .fd = ends[0], .events = (short)(intptr_t)arg };

	poll(&p, 1, -1);
	return arg;
}

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(recv(ends[0], &c, 1, 0), 1);
	return arg;
}

static void beside(short events)
{
	tcp_pair(ends);
	CHECK_OK(pthread_detach(spawn(polls, (void *)(intptr_t)events)));
	settle();
	pthread_t reader = spawn(reads, NULL);

	settle();
	CHECK_EQ(send(ends[1], "x", 1, 0), 1);
	join(reader);
}

/* Data that came before such a poll. */
static void before(short events)
{
	struct pollfd p = { .events = events };

	tcp_pair(ends);
	pthread_t reader = spawn(reads, NULL);

	settle();
	CHECK_EQ(send(ends[1], "x", 1, 0), 1);
	join(reader);
	CHECK_EQ(send(ends[1], "y", 1, 0), 1);
	settle();
	p.fd = ends[0];
	CHECK_EQ(poll(&p, 1, 20), 0);
	reads(NULL);
}

static void *body(void *arg)
{
	beside(POLLRDHUP);
	beside(POLLPRI);
	before(POLLRDHUP);
	before(POLLPRI);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}

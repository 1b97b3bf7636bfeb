// SPDX-License-Identifier: BSD-2-Clause
// At the limit of descriptors (RLIMIT_NOFILE) the program gets EMFILE as ever, and its threads go on
// waiting for the descriptors they have: whether the table was full before the first thread, or got
// full, or the limit was lowered below descriptors that are open.
#include "stress.h"
#include <sys/resource.h>

#define LIMIT 64
#define PAIRS 6
#define ROUNDS 200

static int pairs[PAIRS][2];

static void *echo(void *arg)
{
	int fd = pairs[(intptr_t)arg][1];
	char c;

	while (read(fd, &c, 1) == 1)
		CHECK_EQ(write(fd, &c, 1), 1);
	return NULL;
}

static void talk(int rounds)
{
	char c;

	for (int i = 0; i < rounds; i++) {
		struct pollfd p = { .fd = pairs[i % PAIRS][0], .events = POLLIN };

		CHECK_EQ(write(p.fd, "x", 1), 1);
		CHECK_EQ(poll(&p, 1, PATIENCE_MS), 1);
		CHECK_EQ(read(p.fd, &c, 1), 1);
	}
}

static int fill(int *fds)
{
	int n = 0;

	while (n < LIMIT && (fds[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	CHECK_EQ(errno, EMFILE);
	return n;
}

static void set_limit(rlim_t soft)
{
	struct rlimit lim;

	CHECK_OK(getrlimit(RLIMIT_NOFILE, &lim));
	lim.rlim_cur = soft;
	CHECK_OK(setrlimit(RLIMIT_NOFILE, &lim));
}

enum { FULL_BEFORE = 1, FULL_AFTER, LOWERED };

static void scene(int which)
{
	int fds[LIMIT], n = 0;
	pthread_t t[PAIRS];

	set_limit(LIMIT);
	for (int i = 0; i < PAIRS; i++)
		CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]));
	if (which == FULL_BEFORE)
		n = fill(fds);
	spawn_many(t, PAIRS, echo);
	talk(ROUNDS);
	if (which == FULL_AFTER) {
		n = fill(fds);
		/* Ours take a few at the top. */
		CHECK(n >= LIMIT - 3 - 2 * PAIRS - 12);
	}
	if (which == LOWERED)
		set_limit(2);
	talk(ROUNDS);
	for (int i = 0; i < n; i++)
		CHECK_OK(close(fds[i]));
	talk(ROUNDS);
	for (int i = 0; i < PAIRS; i++)
		CHECK_OK(shutdown(pairs[i][0], SHUT_WR));
	join_many(t, PAIRS);
}

static void full_before(void)
{
	scene(FULL_BEFORE);
}

static void full_after(void)
{
	scene(FULL_AFTER);
}

static void lowered(void)
{
	scene(LOWERED);
}

int main(int argc, char **argv)
{
	stress_seed(argc, argv);
	CHECK_EQ(in_child(full_before), 0);
	CHECK_EQ(in_child(full_after), 0);
	CHECK_EQ(in_child(lowered), 0);
}

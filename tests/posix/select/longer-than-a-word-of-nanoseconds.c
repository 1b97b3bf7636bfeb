// SPDX-License-Identifier: BSD-2-Clause
// A limit of more nanoseconds than a word holds is not over soon.
#include "../parked.h"
#include <sys/select.h>

static int ends[2];

static void *writes_late(void *arg)
{
	sleep_ms(500);
	CHECK_EQ(write(ends[1], "x", 1), 1);
	return arg;
}

static void *body(void *arg)
{
	struct timeval limit = { .tv_sec = 18446744074 };	/* 0.29 s more than 2^64 ns */
	pthread_t writer;
	fd_set set;

	CHECK_OK(pipe(ends));
	writer = spawn(writes_late, NULL);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CHECK_EQ(select(ends[0] + 1, &set, NULL, NULL, &limit), 1);
	join(writer);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}

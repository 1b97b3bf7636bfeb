// SPDX-License-Identifier: BSD-2-Clause
// A pipe of packets (O_DIRECT): each read gives one, and that it is short says nothing of whether another is there.
#include "../parked.h"
#include <fcntl.h>

enum { PACKETS = 5 };

static int early[2];		/* made before there are threads */

static void *reads(void *arg)
{
	int *ends = arg;
	char all[4096];

	for (int i = 0; i < PACKETS; i++) {
		CHECK_EQ(read(ends[0], all, sizeof(all)), i + 1);
		CHECK_EQ(all[0], 'a' + i);
	}
	return NULL;
}

static void check(int ends[2])
{
	pthread_t reader = spawn(reads, ends);
	char text[PACKETS];

	settle();
	for (int i = 0; i < PACKETS; i++) {
		memset(text, 'a' + i, sizeof(text));
		CHECK_EQ(write(ends[1], text, (size_t)i + 1), i + 1);
	}
	join(reader);
}

static void *body(void *arg)
{
	int ends[2];

	check(early);
	CHECK_OK(pipe2(ends, O_DIRECT));
	check(ends);
	CHECK_OK(pipe(ends));
	CHECK_OK(fcntl(ends[1], F_SETFL, O_DIRECT));
	check(ends);
	return arg;
}

int main(void)
{
	CHECK_OK(pipe2(early, O_DIRECT));
	run_beside_parked(body);
}

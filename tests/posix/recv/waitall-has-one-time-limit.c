// SPDX-License-Identifier: BSD-2-Clause
// SO_RCVTIMEO is the limit of the whole call with MSG_WAITALL, not of each piece that comes.
#include "../parked.h"

#include <sys/time.h>

enum { PIECES = 16, EACH_MS = 100, LIMIT_MS = 350 };

static int ends[2];

static void *sends(void *arg)
{
	for (int i = 0; i < PIECES; i++) {
		sleep_ms(EACH_MS);
		CHECK_EQ(send(ends[1], "x", 1, 0), 1);
	}
	return arg;
}

static void *body(void *arg)
{
	struct timeval limit = { 0, LIMIT_MS * 1000 };
	char all[PIECES];

	tcp_pair(ends);
	CHECK_OK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
	pthread_t sender = spawn(sends, NULL);
	ssize_t n = recv(ends[0], all, sizeof all, MSG_WAITALL);

	CHECK(n == -1 ? errno == EAGAIN : n < PIECES);
	join(sender);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}

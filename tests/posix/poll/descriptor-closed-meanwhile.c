// SPDX-License-Identifier: BSD-2-Clause
// A poll without a timeout never returns 0, whatever becomes of its descriptor meanwhile.
#include "../harness.h"

enum { THREADS = 20 };

static int pairs[THREADS][2];
static atomic_int waiting, zeros;

static void *body(void *arg)
{
	struct pollfd p = { .fd = pairs[(intptr_t)arg][0], .events = POLLIN };

	waiting++;
	zeros += poll(&p, 1, -1) == 0;
	return arg;
}

int main(void)
{
	pthread_t t;

	for (intptr_t i = 0; i < THREADS; i++) {
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
		CHECK_EQ(pthread_create(&t, NULL, body, (void *)i), 0);
	}
	WAIT_FOR(waiting == THREADS);
	sleep_ms(50);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(close(pairs[i][0]), 0);
	sleep_ms(50);
	CHECK_EQ(zeros, 0);
	_exit(0);		/* they may wait for ever */
}

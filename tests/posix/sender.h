// SPDX-License-Identifier: BSD-2-Clause
/*
 * For tests of a signal that comes when the last threads that admitted it have just ended: threads that admit SIGUSR1
 * and end at one moment, and another process that sends it when it is asked to.
 */
#ifndef SENDER_H
#define SENDER_H

#include "harness.h"

static pthread_barrier_t all;
static int ask[2], answer[2];

static inline void handler(int sig UNUSED)
{
	CHECK(!"somebody admits it");
}

static inline void *admits(void *arg)
{
	unblock_signal(SIGUSR1);
	pthread_barrier_wait(&all);
	return arg;
}

/* Another process: what it sends to us no thread of ours takes on the way. */
static inline void send_on_request(void)
{
	char c;

	close(ask[1]);
	while (read(ask[0], &c, 1) == 1) {
		CHECK_OK(kill(getppid(), SIGUSR1));
		CHECK_EQ(write(answer[1], &c, 1), 1);
	}
	_exit(0);
}

static inline void have_it_sent(void)
{
	char c = 0;

	CHECK_EQ(write(ask[1], &c, 1), 1);
	CHECK_EQ(read(answer[0], &c, 1), 1);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that wait for descriptors.  A call that blocks while nothing else goes on in the process may simply be
 * left to the kernel: with these about it is not.
 */
#ifndef PARKED_H
#define PARKED_H

#include "harness.h"

#include <netinet/in.h>

enum { PARKED = 4 };

static void *h_parked(void *arg)
{
	int fds[2];
	char c;

	CHECK_OK(pipe(fds));
	CHECK_EQ(read(fds[0], &c, 1), 1);	/* never */
	return arg;
}

static inline void park_some(void)
{
	for (int i = 0; i < PARKED; i++)
		CHECK_OK(pthread_detach(spawn(h_parked, NULL)));
	settle();
}

/* A whole test: a thread does it beside such ones, whom nobody ends. */
static inline void run_beside_parked(void *(*body)(void *))
{
	park_some();
	join(spawn(body, NULL));
	_exit(0);
}

/* Both ends of a TCP connection to oneself. */
static inline void tcp_pair(int ret_fds[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof addr;

	CHECK_OK(bind(listener, (struct sockaddr *)&addr, size));
	CHECK_OK(listen(listener, 5));
	CHECK_OK(getsockname(listener, (struct sockaddr *)&addr, &size));
	ret_fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_OK(connect(ret_fds[0], (struct sockaddr *)&addr, size));
	ret_fds[1] = accept(listener, NULL, NULL);
	CHECK(ret_fds[1] >= 0);
	CHECK_OK(close(listener));
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* A pipe that nothing more can be written to. */
#ifndef FULL_PIPE_H
#define FULL_PIPE_H

#include "harness.h"

static inline void full_pipe(int p[2])
{
	static char page[4096];

	CHECK_OK(pipe(p));
	CHECK_OK(fcntl(p[1], F_SETFL, O_NONBLOCK));
	while (write(p[1], page, sizeof page) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	CHECK_OK(fcntl(p[1], F_SETFL, 0));
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
// write to a full pipe is a cancellation point.
#include "../cancel.h"

static void call(void *arg)
{
	static char data[4096];

	CHECK(write(*(int *)arg, data, sizeof data) != -1);
}

int main(void)
{
	static char data[4096];
	int p[2];

	CHECK_OK(pipe(p));
	CHECK_OK(fcntl(p[1], F_SETFL, O_NONBLOCK));
	while (write(p[1], data, sizeof data) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	CHECK_OK(fcntl(p[1], F_SETFL, 0));
	check_cancels(call, &p[1]);
}

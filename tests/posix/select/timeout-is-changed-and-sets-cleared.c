// SPDX-License-Identifier: BSD-2-Clause
// On Linux select changes its timeout to what was left, and clears the sets when the time is over.
#include "../harness.h"

#include <sys/select.h>

static void *body(void *arg)
{
	struct timeval tv = { .tv_usec = 30000 };
	int fd[2];
	fd_set r;

	CHECK_OK(pipe(fd));
	FD_ZERO(&r);
	FD_SET(fd[0], &r);
	CHECK_EQ(select(fd[0] + 1, &r, NULL, NULL, &tv), 0);
	CHECK(!FD_ISSET(fd[0], &r));
	CHECK(tv.tv_sec == 0 && tv.tv_usec == 0);
	tv = (struct timeval){ .tv_sec = 100 };
	CHECK_EQ(write(fd[1], "x", 1), 1);
	FD_SET(fd[0], &r);
	CHECK_EQ(select(fd[0] + 1, &r, NULL, NULL, &tv), 1);
	CHECK(FD_ISSET(fd[0], &r) && tv.tv_sec >= 99);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}

// SPDX-License-Identifier: BSD-2-Clause
// A select over several hundred descriptors reports the one that becomes ready, and only that.
#include "../harness.h"

#include <sys/eventfd.h>
#include <sys/select.h>

#define FDS 400

static int fds[FDS];
static atomic_bool in;

static void *body(void *arg)
{
	fd_set r;

	FD_ZERO(&r);
	for (int i = 0; i < FDS; i++)
		FD_SET(fds[i], &r);
	in = true;
	CHECK_EQ(select(fds[FDS - 1] + 1, &r, NULL, NULL, NULL), 1);
	for (int i = 0; i < FDS; i++)
		CHECK_EQ(FD_ISSET(fds[i], &r) != 0, i == 333);
	return arg;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < FDS; i++)
		CHECK((fds[i] = eventfd(0, 0)) >= 0);
	t = spawn(body, NULL);
	WAIT_FOR(in);
	settle();
	CHECK_OK(eventfd_write(fds[333], 1));
	join(t);
}

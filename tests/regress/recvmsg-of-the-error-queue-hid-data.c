// SPDX-License-Identifier: BSD-2-Clause
// A look at a socket's error queue, or for urgent data, found nothing: so a reader was not told of the data that was
// there.  And such a look waited, which the kernel's never does.
#include "../posix/parked.h"

static int ends[2];
static char control[128];

static void *sends(void *arg)
{
	settle();
	CHECK_EQ(send(ends[1], "x", 1, 0), 1);
	return arg;
}

static void *body(void *arg)
{
	struct msghdr msg = { 0 };
	struct pollfd p = { .events = POLLIN };
	char c;

	tcp_pair(ends);
	pthread_t sender = spawn(sends, NULL);

	CHECK_EQ(recv(ends[0], &c, 1, 0), 1);
	join(sender);
	CHECK_EQ(send(ends[1], "y", 1, 0), 1);
	settle();
	msg = (struct msghdr){ .msg_control = control, .msg_controllen = sizeof control };
	CHECK_ERRNO(recvmsg(ends[0], &msg, MSG_ERRQUEUE | MSG_DONTWAIT), EAGAIN);
	p.fd = ends[0];
	CHECK_EQ(poll(&p, 1, -1), 1);
	CHECK_ERRNO(recvmsg(ends[0], &msg, MSG_ERRQUEUE), EAGAIN);
	CHECK_ERRNO(recv(ends[0], &c, 1, MSG_OOB), EINVAL);
	CHECK_EQ(recv(ends[0], &c, 1, 0), 1);
	CHECK_EQ(c, 'y');
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}

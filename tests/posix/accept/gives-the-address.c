// SPDX-License-Identifier: BSD-2-Clause
// accept and getpeername tell the client's address; accept4 sets its flags.
#include "../harness.h"

#include <netinet/in.h>

static struct sockaddr_in at;
static int listener;

static void *server(void *arg)
{
	struct sockaddr_in from = { 0 }, peer = { 0 };
	socklen_t n = sizeof from;
	int s = accept4(listener, (struct sockaddr *)&from, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);

	CHECK(s >= 0);
	CHECK_EQ(n, sizeof from);
	CHECK(fcntl(s, F_GETFL) & O_NONBLOCK);
	CHECK(fcntl(s, F_GETFD) & FD_CLOEXEC);
	CHECK_OK(getpeername(s, (struct sockaddr *)&peer, &n));
	CHECK_EQ(peer.sin_port, from.sin_port);
	return arg;
}

int main(void)
{
	socklen_t n = sizeof at;
	pthread_t t;
	int s;

	at.sin_family = AF_INET;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK((listener = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
	CHECK_OK(bind(listener, (struct sockaddr *)&at, sizeof at));
	CHECK_OK(listen(listener, 5));
	CHECK_OK(getsockname(listener, (struct sockaddr *)&at, &n));
	t = spawn(server, NULL);
	settle();
	CHECK((s = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
	CHECK_OK(connect(s, (struct sockaddr *)&at, sizeof at));
	join(t);
}

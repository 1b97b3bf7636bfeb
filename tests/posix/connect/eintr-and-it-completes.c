// SPDX-License-Identifier: BSD-2-Clause
// POSIX, connect: interrupted by a handler it "shall fail and set errno to [EINTR], but the connection request shall
// not be aborted, and the connection shall be established asynchronously"; poll tells when.
#include "../harness.h"
#include <netinet/in.h>

static struct sockaddr_in at = { .sin_family = AF_INET };
static int fd;
static atomic_bool is_over;

static void handler(int sig UNUSED)
{
}

static void *connects(void *arg)
{
	CHECK_ERRNO(connect(fd, (struct sockaddr *)&at, sizeof at), EINTR);
	is_over = true;
	return arg;
}

/* A socket that listens and has no room for one more: what it is sent meanwhile is sent again each second or so. */
static int full_listener(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0), first = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof at;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_OK(bind(s, (struct sockaddr *)&at, size));
	CHECK_OK(listen(s, 0));
	CHECK_OK(getsockname(s, (struct sockaddr *)&at, &size));
	CHECK_OK(connect(first, (struct sockaddr *)&at, size));
	return s;
}

int main(void)
{
	struct pollfd p = { .events = POLLOUT };
	int listener = full_listener(), other_end, err = -1;
	socklen_t size = sizeof err;
	pthread_t t;
	char c = 0;

	on_signal(SIGUSR1, handler, 0);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	p.fd = fd;
	t = spawn(connects, NULL);
	while (!is_over) {		/* the signal may come before it waits */
		settle();
		kill_if_there(t, SIGUSR1);
	}
	join(t);
	CHECK_EQ(poll(&p, 1, 0), 0);
	CHECK(accept(listener, NULL, NULL) >= 0);
	CHECK_EQ(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_EQ(p.revents, POLLOUT);
	CHECK_OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size));
	CHECK_EQ(err, 0);
	other_end = accept(listener, NULL, NULL);
	CHECK_EQ(send(fd, "x", 1, 0), 1);
	CHECK_EQ(recv(other_end, &c, 1, 0), 1);
	CHECK_EQ(c, 'x');
}

// SPDX-License-Identifier: BSD-2-Clause
// SO_RCVTIMEO and SO_SNDTIMEO began anew after each signal that was none of the thread's, and connect failed with EINTR.
#include <netinet/in.h>

#include "../posix/alarms.h"

enum { LIMIT_MS = 200 };

static void limit(int fd, int which)
{
	struct timeval tv = { 0, LIMIT_MS * 1000 };

	CHECK_OK(setsockopt(fd, SOL_SOCKET, which, &tv, sizeof(tv)));
}

static void receive(void)
{
	int fds[2];
	char c;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	limit(fds[0], SO_RCVTIMEO);
	MUST_ERRNO(recv(fds[0], &c, 1, 0), EAGAIN);
	MUST_ERRNO(read(fds[0], &c, 1), EAGAIN);
	CHECK_EQ(write(fds[1], "x", 1), 1);
	CHECK_EQ(recv(fds[0], &c, 1, 0), 1);
	close(fds[0]);
	close(fds[1]);
}

static void transmit(void)
{
	char *much = calloc(1, 8 << 20);
	int fds[2];

	CHECK(much);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	limit(fds[0], SO_SNDTIMEO);
	ssize_t r = send(fds[0], much, 8 << 20, 0);

	MUST_EQ(r > 0 && r < 8 << 20, true);
	MUST_ERRNO(send(fds[0], much, 1 << 20, 0), EAGAIN);
	free(much);
	close(fds[0]);
	close(fds[1]);
}

static int listener(struct sockaddr_in *ret_addr)
{
	socklen_t size = sizeof(*ret_addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*ret_addr = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK_OK(bind(fd, (struct sockaddr *)ret_addr, size));
	CHECK_OK(getsockname(fd, (struct sockaddr *)ret_addr, &size));
	CHECK_OK(listen(fd, 0));
	return fd;
}

static void admit(void)
{
	struct sockaddr_in addr;
	int fd = listener(&addr);

	limit(fd, SO_RCVTIMEO);
	MUST_ERRNO(accept(fd, NULL, NULL), EAGAIN);
	close(fd);
}

/* Who listens takes one or two that it does not accept; the next ones wait. */
static void reach(void)
{
	struct sockaddr_in addr;
	int fd = listener(&addr), fds[4], n = 0, err = 0;

	while (n < 4 && !err) {
		fds[n] = socket(AF_INET, SOCK_STREAM, 0);
		limit(fds[n], SO_SNDTIMEO);
		err = connect(fds[n++], (struct sockaddr *)&addr, sizeof(addr));
	}
	CHECK_EQ(err, -1);
	err = errno;
	while (n)
		close(fds[--n]);
	close(fd);
	MUST_EQ(err, EINPROGRESS);
}

int main(void)
{
	under_alarms(reach);
	under_alarms(receive);
	under_alarms(transmit);
	under_alarms(admit);
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for a datagram gets 0 when the socket is shut down by another, as one that receives after that does:
// also from a socket that is not connected, of which shutdown itself says so.
#include "../posix/parked.h"
#include <sys/uio.h>

enum call { RECEIVES, READS, TAKES_A_MESSAGE, TAKES_MANY, RECEIVES_WITH_A_LIMIT, CALLS };

static enum call call;
static int fd;
static atomic_bool is_there;

static long receive(void)
{
	char bytes[16];
	struct iovec v = { bytes, sizeof(bytes) };
	struct mmsghdr many = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };

	switch (call) {
	case READS:
		return read(fd, bytes, sizeof(bytes));
	case TAKES_A_MESSAGE:
		return recvmsg(fd, &many.msg_hdr, 0);
	case TAKES_MANY:
		return recvmmsg(fd, &many, 1, 0, NULL) == 1 ? (long)many.msg_len : -1;
	default:
		return recv(fd, bytes, sizeof(bytes), 0);
	}
}

static void *waits(void *arg)
{
	(void)arg;
	is_there = true;
	CHECK(receive() == 0);
	return NULL;
}

static int make(int domain, bool is_connected)
{
	int ends[2];

	if (domain == AF_UNIX) {
		CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
		return ends[0];
	}
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);

	ends[0] = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(bind(ends[0], (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(getsockname(ends[0], (struct sockaddr *)&address, &size) == 0);
	if (is_connected)
		CHECK(connect(ends[0], (struct sockaddr *)&address, size) == 0);
	return ends[0];
}

static void check(int domain, bool is_connected, bool is_early)
{
	struct timeval limit = { 20, 0 };
	pthread_t t;

	fd = make(domain, is_connected);
	if (call == RECEIVES_WITH_A_LIMIT)
		CHECK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
	is_there = false;
	if (is_early)
		shutdown(fd, SHUT_RD);
	CHECK_OK(pthread_create(&t, NULL, waits, NULL));
	while (!is_there)
		usleep(1000);
	usleep(5000);
	if (!is_early)
		CHECK(shutdown(fd, SHUT_RD) == 0 || errno == ENOTCONN);
	CHECK_OK(pthread_join(t, NULL));
	close(fd);
}

int main(void)
{
	for (int beside = 0; beside < 2; beside++) {
		if (beside)
			park_some();
		for (call = 0; call < CALLS; call++)
			for (int early = 0; early < 2; early++) {
				check(AF_INET, false, early);
				check(AF_INET, true, early);
				check(AF_UNIX, true, early);
			}
	}
	return 0;
}

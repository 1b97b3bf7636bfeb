// SPDX-License-Identifier: BSD-2-Clause
// A datagram socket is connected while a thread waits to receive from it: that goes on waiting, and gets what comes.
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int fd;

static void *reads(void *arg)
{
	char byte = 0;

	CHECK_IS(upcall_recv(fd, &byte, 1, 0), 1);
	CHECK_IS(byte, 'x');
	return arg;
}

static struct sockaddr_in bound_to(int s)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);

	CHECK_IS(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	CHECK_IS(getsockname(s, (struct sockaddr *)&a, &size), 0);
	return a;
}

static void test(void)
{
	int peer = socket(AF_INET, SOCK_DGRAM, 0);

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(fd >= 0 && peer >= 0);
	struct sockaddr_in here = bound_to(fd), there = bound_to(peer);
	upcall_t t = spawn(reads, &fd);

	upcall_sleep(20 * MS);
	for (int i = 0; i < 3; i++)
		CHECK_IS(upcall_connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
	upcall_sleep(20 * MS);
	CHECK_IS(sendto(peer, "x", 1, 0, (struct sockaddr *)&here, sizeof(here)), 1);
	CHECK(join(t) == &fd);
}

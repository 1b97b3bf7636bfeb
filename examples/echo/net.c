// SPDX-License-Identifier: BSD-2-Clause
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void die(const char *what)
{
	if (errno)
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	else
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

bool option_number(const char *arg, const char *name, long low, long high, long *ret_value)
{
	size_t length = strlen(name);

	if (strncmp(arg, name, length) != 0 || arg[length] != '=')
		return false;

	char *end;
	errno = 0;
	long value = strtol(arg + length + 1, &end, 10);

	if (errno || end == arg + length + 1 || *end || value < low || value > high) {
		fprintf(stderr, "%s: %s wants a number from %ld to %ld\n",
			program_invocation_short_name, name, low, high);
		exit(2);
	}
	*ret_value = value;
	return true;
}

void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct sockaddr_in loopback(long port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

int listen_loopback(long port)
{
	struct sockaddr_in address = loopback(port);
	socklen_t length = sizeof(address);
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, length) < 0)
		die("bind");
	if (listen(fd, SOMAXCONN) < 0)
		die("listen");
	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		die("getsockname");
	printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

int connect_loopback(long port)
{
	struct sockaddr_in address = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	set_nodelay(fd);
	return fd;
}

void set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		die("fcntl");
}

void set_nodelay(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

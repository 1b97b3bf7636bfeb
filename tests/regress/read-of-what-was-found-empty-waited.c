// SPDX-License-Identifier: BSD-2-Clause
// After a descriptor was found to have nothing, a call that takes nothing, or fails at once, does so: a terminal's read that
// asks for no input, calls that the descriptor does not have, a peek beyond what is there.
#include "../posix/parked.h"
#include <pty.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <termios.h>

static void find_empty(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };

	CHECK(poll(&p, 1, 10) == 0);
}

static void read_terminal(bool with_vector)
{
	struct termios t;
	char bytes[8];
	struct iovec v[2] = { { bytes, 2 }, { bytes + 2, 4 } };
	int master, terminal;

	CHECK(openpty(&master, &terminal, NULL, NULL, NULL) == 0);
	find_empty(terminal);
	CHECK(tcgetattr(terminal, &t) == 0);
	cfmakeraw(&t);
	t.c_cc[VMIN] = t.c_cc[VTIME] = 0;
	CHECK(tcsetattr(terminal, TCSANOW, &t) == 0);
	CHECK((with_vector ? readv(terminal, v, 2) : read(terminal, bytes, sizeof(bytes))) == 0);
	close(terminal);
	close(master);
}

static void call_wrongly(void)
{
	char bytes[8];
	int fd = eventfd(0, 0);

	find_empty(fd);
	CHECK(read(fd, bytes, 4) == -1 && errno == EINVAL);
	CHECK(recv(fd, bytes, 8, 0) == -1 && errno == ENOTSOCK);
	close(fd);
	fd = epoll_create1(0);
	find_empty(fd);
	CHECK(read(fd, bytes, 8) == -1 && errno == EINVAL);
	close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr address = { .sa_family = AF_UNIX };

	CHECK(bind(fd, &address, sizeof(address.sa_family)) == 0);
	CHECK(listen(fd, 1) == 0);
	find_empty(fd);
	CHECK(accept4(fd, NULL, NULL, 1) == -1 && errno == EINVAL);
	close(fd);
}

static void peek_beyond(int type)
{
	int ends[2], off = 5;
	char bytes[8];

	CHECK(socketpair(AF_UNIX, type, 0, ends) == 0);
	find_empty(ends[0]);
	CHECK(setsockopt(ends[0], SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off)) == 0);
	CHECK(send(ends[1], "abcde", 5, 0) == 5);
	CHECK(recv(ends[0], bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) == -1 && errno == EAGAIN);
	CHECK(recv(ends[0], bytes, sizeof(bytes), 0) == 5);
	close(ends[0]);
	close(ends[1]);
}

static void *calls(void *arg)
{
	(void)arg;
	read_terminal(false);
	read_terminal(true);
	call_wrongly();
	peek_beyond(SOCK_STREAM);
	peek_beyond(SOCK_DGRAM);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, calls, NULL));
	CHECK_OK(pthread_join(t, NULL));
	park_some();
	CHECK_OK(pthread_create(&t, NULL, calls, NULL));
	CHECK_OK(pthread_join(t, NULL));
	return 0;
}

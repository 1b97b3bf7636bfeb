// SPDX-License-Identifier: BSD-2-Clause
/*
 * The same echo server turned inside out: one thread, one epoll loop, nothing that blocks.  It is
 * the yardstick: what a thread for each connection costs is measured against it.
 *
 *   echo-epoll [--port=N]
 *
 * A connection either reads (its buffer is empty) or, after a short write, waits until the rest
 * goes out; it never does both, so a peer that does not read cannot make the buffer grow.
 */
#include "net.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
	int fd;
	size_t sent;
	size_t filled;
	char buffer[4096];
};

static volatile sig_atomic_t ended;

static void on_end(int signal_number)
{
	(void)signal_number;
	ended = 1;
}

static void watch(int loop, int operation, struct connection *c, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = c };

	if (epoll_ctl(loop, operation, c->fd, &event) < 0)
		die("epoll_ctl");
}

static void hang_up(struct connection *c)
{
	close(c->fd);
	free(c);
}

/* Returns false when the connection is over. */
static bool flush(int loop, struct connection *c, bool was_waiting)
{
	while (c->sent < c->filled) {
		ssize_t n = write(c->fd, c->buffer + c->sent, c->filled - c->sent);

		if (n < 0 && errno == EAGAIN) {
			if (!was_waiting)
				watch(loop, EPOLL_CTL_MOD, c, EPOLLOUT);
			return true;
		}
		if (n <= 0)
			return false;
		c->sent += (size_t)n;
	}
	c->sent = c->filled = 0;
	if (was_waiting)
		watch(loop, EPOLL_CTL_MOD, c, EPOLLIN);
	return true;
}

static bool serve(int loop, struct connection *c, uint32_t events)
{
	if (c->filled > 0)
		return flush(loop, c, true);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return true;

	ssize_t n = read(c->fd, c->buffer, sizeof(c->buffer));

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0)
		return false;
	c->filled = (size_t)n;
	return flush(loop, c, false);
}

static void accept_all(int loop, int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct connection *c = calloc(1, sizeof(*c));

		if (!c) {
			close(fd);
			return;
		}
		c->fd = fd;
		set_nodelay(fd);
		watch(loop, EPOLL_CTL_ADD, c, EPOLLIN);
	}
	if (errno == EMFILE || errno == ENFILE)
		usleep(10000);
}

static void run(int loop, int listener)
{
	struct epoll_event events[256];

	while (!ended) {
		int n = epoll_wait(loop, events, 256, -1);

		if (n < 0 && errno != EINTR)
			die("epoll_wait");
		for (int i = 0; i < n; i++) {
			struct connection *c = events[i].data.ptr;

			if (!c)
				accept_all(loop, listener);
			else if (!serve(loop, c, events[i].events))
				hang_up(c);
		}
	}
}

int main(int argc, char **argv)
{
	long port = 7007;

	for (int i = 1; i < argc; i++) {
		if (!option_number(argv[i], "--port", 0, 65535, &port)) {
			fprintf(stderr, "usage: echo-epoll [--port=N]\n");
			return 2;
		}
	}
	raise_descriptor_limit();
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_end }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_end }, NULL);

	int listener = listen_loopback(port);
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event accepts = { .events = EPOLLIN };

	if (loop < 0)
		die("epoll_create1");
	set_nonblocking(listener);
	if (epoll_ctl(loop, EPOLL_CTL_ADD, listener, &accepts) < 0)
		die("epoll_ctl");
	run(loop, listener);
	return 0;
}

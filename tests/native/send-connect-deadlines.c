// SPDX-License-Identifier: BSD-2-Clause
/*
 * upcall_connect_until and upcall_send_until: where there is no room (a listener's queue, a socket's buffer) they end
 * with the deadline, and before it as soon as there is some.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "check.h"

enum { FILLERS = 16, BULK = 4 << 20, SOON = 60 };	/* SOON: milliseconds */

static int stream(int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	CHECK(fd >= 0);
	return fd;
}

static struct sockaddr_in address;

/* Whoever asks it for a connection next waits until one is accepted. */
static int full_listener(int *ret_fillers)
{
	int listener = stream(0), n = 0;
	socklen_t size = sizeof(address);

	address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK_IS(bind(listener, (struct sockaddr *)&address, size), 0);
	CHECK_IS(listen(listener, 0), 0);
	CHECK_IS(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	for (struct pollfd p; n < FILLERS; ) {
		p = (struct pollfd){ stream(SOCK_NONBLOCK), POLLOUT, 0 };
		connect(p.fd, (struct sockaddr *)&address, size);
		ret_fillers[n++] = p.fd;
		if (upcall_poll_until(&p, 1, upcall_after(200 * MS)) == 0)
			break;
	}
	CHECK(n < FILLERS);
	return listener;
}

static int connect_by(int fd, uint64_t deadline_ns)
{
	int mode = fcntl(fd, F_GETFL), r = upcall_connect_until(fd, (struct sockaddr *)&address, sizeof(address), deadline_ns);

	CHECK_IS(fcntl(fd, F_GETFL), mode);
	return r;
}

static void *connect_late(void *arg)
{
	int fd = stream(0);

	CHECK_IS(connect_by(fd, upcall_after(50000 * MS)), 0);
	CHECK_IS(upcall_send_until(fd, "x", 1, 0, upcall_after(50000 * MS)), 1);
	CHECK_IS(upcall_close(fd), 0);
	return arg;
}

static void *connect_in_vain(void *arg)
{
	int nonblocking = (int)(size_t)arg, fd = stream(nonblocking);
	uint64_t began = upcall_now();

	CHECK_IS(connect_by(fd, began + SOON * MS), -ETIMEDOUT);
	check_took(began, SOON * MS);
	CHECK_IS(upcall_close(fd), 0);
	return NULL;
}

/* Those before it in the queue may have come, too, and have nothing to say. */
static void accept_until_byte(int listener)
{
	uint64_t end = upcall_after(50000 * MS);
	char byte = 0;

	while (byte != 'x') {
		int fd = upcall_accept_until(listener, NULL, NULL, 0, end);

		CHECK(fd >= 0);
		ssize_t n = upcall_recv_until(fd, &byte, 1, 0, upcall_after(200 * MS));

		CHECK(n == 1 || n == 0 || n == -ETIMEDOUT);
		CHECK_IS(upcall_close(fd), 0);
	}
}

static void test_connect(upcall_t (*make)(void *(*fn)(void *), void *arg))
{
	int fillers[FILLERS] = { 0 }, listener = full_listener(fillers);

	join(make(connect_in_vain, (void *)0));
	join(make(connect_in_vain, (void *)SOCK_NONBLOCK));
	upcall_t late = make(connect_late, NULL);

	upcall_sleep(SOON * MS);
	accept_until_byte(listener);
	join(late);
	for (int i = 0; i < FILLERS; i++)
		if (fillers[i])
			close(fillers[i]);
	CHECK_IS(upcall_close(listener), 0);
}

static char bulk[BULK];

/* A part, until not even a byte finds room. */
static void *send_in_vain(void *arg)
{
	int fd = (int)(long)arg;
	uint64_t began = upcall_now();
	ssize_t n = upcall_send_until(fd, bulk, BULK, 0, began + SOON * MS);

	CHECK(n > 0 && n < BULK);
	check_took(began, SOON * MS);
	do {
		began = upcall_now();
		n = upcall_send_until(fd, bulk, 1, 0, began + SOON * MS);
	} while (n == 1);
	CHECK_IS(n, -ETIMEDOUT);
	check_took(began, SOON * MS);
	CHECK_IS(upcall_send_until(fd, bulk, 1, MSG_DONTWAIT, upcall_after(50000 * MS)), -EAGAIN);
	return NULL;
}

static void *send_all(void *arg)
{
	CHECK_IS(upcall_send_until((int)(long)arg, bulk, BULK, 0, upcall_after(50000 * MS)), BULK);
	return arg;
}

static void receive(int fd, size_t bytes)
{
	static char there[BULK];

	CHECK_IS(upcall_recv(fd, there, bytes, MSG_WAITALL), bytes);
}

static void test_send(upcall_t (*make)(void *(*fn)(void *), void *arg))
{
	int ends[2], waiting;

	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	join(make(send_in_vain, (void *)(long)ends[0]));
	for (char some[4096]; recv(ends[1], some, sizeof(some), MSG_DONTWAIT) > 0; )
		;
	upcall_t t = make(send_all, (void *)(long)ends[0]);

	upcall_sleep(SOON * MS);
	receive(ends[1], BULK);
	join(t);
	waiting = (int)recv(ends[1], bulk, 1, MSG_DONTWAIT);
	CHECK(waiting == -1 && errno == EAGAIN);
	CHECK_IS(upcall_close(ends[0]), 0);
	CHECK_IS(upcall_close(ends[1]), 0);
}

/* Whole or not at all. */
static void *send_messages_in_vain(void *arg)
{
	int fd = (int)(long)arg;
	uint64_t began;
	ssize_t n;

	do {
		began = upcall_now();
		n = upcall_send_until(fd, bulk, 1000, 0, began + SOON * MS);
	} while (n == 1000);
	CHECK_IS(n, -ETIMEDOUT);
	check_took(began, SOON * MS);
	return NULL;
}

static void *send_message(void *arg)
{
	CHECK_IS(upcall_send_until((int)(long)arg, bulk, 500, 0, upcall_after(50000 * MS)), 500);
	return arg;
}

static void test_messages(upcall_t (*make)(void *(*fn)(void *), void *arg))
{
	char message[1000];
	ssize_t n;
	int ends[2];

	CHECK_IS(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	join(make(send_messages_in_vain, (void *)(long)ends[0]));
	upcall_t t = make(send_message, (void *)(long)ends[0]);

	upcall_sleep(SOON * MS);
	do
		n = upcall_recv_until(ends[1], message, sizeof(message), 0, upcall_after(50000 * MS));
	while (n == 1000);
	CHECK_IS(n, 500);
	join(t);
	CHECK_IS(upcall_close(ends[0]), 0);
	CHECK_IS(upcall_close(ends[1]), 0);
}

static upcall_t spawn_bound(void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = UPCALL_BOUND;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

static void test(void)
{
	upcall_t (*const makers[])(void *(*)(void *), void *) = { spawn, spawn_bound };

	alarm(55);
	for (int i = 0; i < (test_flags ? 1 : 2); i++) {
		test_connect(makers[i]);
		test_send(makers[i]);
		test_messages(makers[i]);
	}
}

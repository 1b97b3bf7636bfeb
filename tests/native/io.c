// SPDX-License-Identifier: BSD-2-Clause
/* read, write, accept, connect, send, recv, poll: threads that wait for each other's data. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>

#include "check.h"

enum { CLIENTS = 20, ROUNDS = 200, BULK = 300000 };

static struct sockaddr_in address;
static int listener;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[64];
	ssize_t n;

	while ((n = upcall_read(fd, line, sizeof(line))) > 0)
		CHECK_IS(upcall_write(fd, line, (size_t)n), n);
	CHECK_IS(n, 0);
	CHECK_IS(upcall_close(fd), 0);
	return NULL;
}

static void *accept_all(void *arg)
{
	upcall_t t[CLIENTS];

	(void)arg;
	for (int i = 0; i < CLIENTS; i++) {
		int fd = upcall_accept(listener, NULL, NULL, SOCK_CLOEXEC);

		CHECK(fd >= 0);
		t[i] = spawn(serve, (void *)(long)fd);
	}
	for (int i = 0; i < CLIENTS; i++)
		join(t[i]);
	return NULL;
}

static void *be_client(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM | (arg ? SOCK_NONBLOCK : 0), 0);
	char out[32], in[32];

	CHECK_IS(upcall_connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(out, sizeof(out), "%30d", i);
		CHECK_IS(upcall_send(fd, out, sizeof(out), 0), sizeof(out));
		CHECK_IS(upcall_recv(fd, in, sizeof(in), 0), sizeof(in));
		CHECK(memcmp(in, out, sizeof(in)) == 0);
	}
	CHECK_IS(upcall_close(fd), 0);
	return NULL;
}

static void test_sockets(void)
{
	upcall_t server, t[CLIENTS];
	socklen_t size = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_IS(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_IS(listen(listener, CLIENTS), 0);
	CHECK_IS(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	CHECK_IS(upcall_accept_until(listener, NULL, NULL, 0, upcall_after(10 * MS)), -ETIMEDOUT);
	server = spawn(accept_all, NULL);
	for (long i = 0; i < CLIENTS; i++)
		t[i] = spawn(be_client, (void *)(i & 1));
	for (int i = 0; i < CLIENTS; i++)
		join(t[i]);
	join(server);
	CHECK_IS(upcall_close(listener), 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK_IS(upcall_connect(fd, (struct sockaddr *)&address, sizeof(address)), -ECONNREFUSED);
	CHECK_IS(close(fd), 0);
}

static void *write_bulk(void *arg)
{
	int fd = (int)(long)arg;
	char *bulk = malloc(BULK);

	for (int i = 0; i < BULK; i++)
		bulk[i] = (char)(i % 127);
	CHECK_IS(upcall_write(fd, bulk, BULK), BULK);
	CHECK_IS(upcall_close(fd), 0);
	free(bulk);
	return NULL;
}

static void test_pipe(void)
{
	int ends[2], at = 0;
	uint64_t began = upcall_now();
	char part[1000];
	ssize_t n;

	CHECK_IS(pipe(ends), 0);
	CHECK_IS(upcall_read_until(ends[0], part, 1, began + 10 * MS), -ETIMEDOUT);
	check_took(began, 10 * MS);
	upcall_t t = spawn(write_bulk, (void *)(long)ends[1]);

	while ((n = upcall_read(ends[0], part, sizeof(part))) > 0)
		for (ssize_t i = 0; i < n; i++)
			CHECK(part[i] == (char)(at++ % 127));
	CHECK_IS(at, BULK);
	join(t);
	CHECK_IS(upcall_close(ends[0]), 0);
	CHECK_IS(upcall_read(ends[0], part, 1), -EBADF);
}

static void *send_halves(void *arg)
{
	int fd = (int)(long)arg;

	CHECK_IS(upcall_send(fd, "ab", 2, 0), 2);
	upcall_sleep(5 * MS);
	CHECK_IS(upcall_send(fd, "cd", 2, 0), 2);
	return NULL;
}

static void test_recv_flags(void)
{
	int ends[2];
	char all[8];

	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	CHECK_IS(upcall_recv(ends[0], all, 4, MSG_DONTWAIT), -EAGAIN);
	upcall_t t = spawn(send_halves, (void *)(long)ends[1]);

	CHECK_IS(upcall_recv(ends[0], all, 4, MSG_WAITALL), 4);
	CHECK(memcmp(all, "abcd", 4) == 0);
	join(t);
	CHECK_IS(upcall_recv_until(ends[0], all, 4, MSG_WAITALL, upcall_after(5 * MS)), -ETIMEDOUT);
	CHECK_IS(upcall_accept(-1, NULL, NULL, 0), -EBADF);
	CHECK_IS(close(ends[0]), 0);
	CHECK_IS(close(ends[1]), 0);
}

static void *write_late(void *arg)
{
	upcall_sleep(10 * MS);
	CHECK_IS(upcall_write((int)(long)arg, "x", 1), 1);
	return NULL;
}

static void test_poll(void)
{
	struct pollfd p[2];
	int a[2], b[2];
	char c;

	CHECK_IS(pipe(a), 0);
	CHECK_IS(pipe(b), 0);
	p[0] = (struct pollfd){ .fd = a[0], .events = POLLIN };
	p[1] = (struct pollfd){ .fd = b[0], .events = POLLIN };
	CHECK_IS(upcall_poll_until(p, 2, upcall_after(10 * MS)), 0);
	upcall_t t = spawn(write_late, (void *)(long)b[1]);

	CHECK_IS(upcall_poll(p, 2), 1);
	CHECK_IS(p[0].revents, 0);
	CHECK_IS(p[1].revents, POLLIN);
	CHECK_IS(upcall_read(b[0], &c, 1), 1);
	join(t);
}

/* A number that was closed with plain close and is another file now is waited for as that one. */
static void *read_one(void *arg)
{
	char c = 0;

	CHECK_IS(upcall_read((int)(long)arg, &c, 1), 1);
	return (void *)(long)c;
}

static void test_reused_number(void)
{
	for (int i = 0; i < 5; i++) {
		int ends[2];

		CHECK_IS(pipe(ends), 0);
		upcall_t t = spawn(read_one, (void *)(long)ends[0]);

		upcall_sleep(2 * MS);
		CHECK_IS(write(ends[1], "y", 1), 1);
		CHECK_IS(join(t), 'y');
		close(ends[0]);
		close(ends[1]);
	}
}

static void test_file(void)
{
	char name[] = "native-io-XXXXXX", back[5];
	int fd = mkstemp(name);

	CHECK(fd >= 0);
	unlink(name);
	CHECK_IS(upcall_write(fd, "12345", 5), 5);
	CHECK_IS(lseek(fd, 0, SEEK_SET), 0);
	CHECK_IS(upcall_read(fd, back, 5), 5);
	CHECK(memcmp(back, "12345", 5) == 0);
	CHECK_IS(upcall_close(fd), 0);
}

static void test(void)
{
	test_pipe();
	test_sockets();
	test_recv_flags();
	test_poll();
	test_reused_number();
	test_file();
}

// SPDX-License-Identifier: BSD-2-Clause
// accept waits for a client over TCP; connection, address and data are right; accept4 sets its
// flags.
#include "../harness.h"
#include <arpa/inet.h>
#include <netinet/in.h>

#define CLIENTS 20

static struct sockaddr_in addr;

static void *client(void *arg UNUSED)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	char c = 0;

	CHECK_OK(connect(s, (struct sockaddr *)&addr, sizeof addr));
	CHECK_EQ(send(s, "p", 1, 0), 1);
	CHECK_EQ(recv(s, &c, 1, 0), 1);
	CHECK_EQ(c, 'q');
	CHECK_OK(close(s));
	return NULL;
}

static void *server(void *arg)
{
	int c = (int)(intptr_t)arg;
	char b = 0;

	CHECK_EQ(recv(c, &b, 1, 0), 1);
	CHECK_EQ(b, 'p');
	CHECK_EQ(send(c, "q", 1, 0), 1);
	CHECK_OK(close(c));
	return NULL;
}

int main(void)
{
	pthread_t t[CLIENTS], h[CLIENTS];
	int s = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof addr;

	addr = (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK_OK(bind(s, (struct sockaddr *)&addr, sizeof addr));
	CHECK_OK(listen(s, CLIENTS));
	CHECK_OK(getsockname(s, (struct sockaddr *)&addr, &len));
	spawn_many(t, CLIENTS, client);
	for (int i = 0; i < CLIENTS; i++) {
		struct sockaddr_in from = { 0 };
		int c;

		len = sizeof from;
		c = accept4(s, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
		CHECK(c >= 0);
		CHECK_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
		CHECK_EQ(fcntl(c, F_GETFD), FD_CLOEXEC);
		CHECK_EQ(fcntl(c, F_GETFL) & O_NONBLOCK, 0);
		h[i] = spawn(server, (void *)(intptr_t)c);
	}
	join_many(t, CLIENTS);
	join_many(h, CLIENTS);
}

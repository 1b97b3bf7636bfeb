// SPDX-License-Identifier: BSD-2-Clause
// recvfrom waits for a datagram and tells its sender; datagrams keep their boundaries.
#include "../harness.h"
#include <arpa/inet.h>
#include <netinet/in.h>

static int a, b;
static struct sockaddr_in addr_a, addr_b;

static int bound_socket(struct sockaddr_in *addr)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof *addr;

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK_OK(bind(s, (struct sockaddr *)addr, sizeof *addr));
	CHECK_OK(getsockname(s, (struct sockaddr *)addr, &len));
	return s;
}

static void *body(void *arg UNUSED)
{
	char buf[100];

	for (int i = 1; i <= 20; i++) {
		struct sockaddr_in from;
		socklen_t len = sizeof from;

		CHECK_EQ(recvfrom(a, buf, sizeof buf, 0, (struct sockaddr *)&from, &len), i);
		CHECK_EQ(from.sin_port, addr_b.sin_port);
		CHECK_EQ(sendto(a, buf, 1, 0, (struct sockaddr *)&from, len), 1);
	}
	return NULL;
}

int main(void)
{
	char buf[100] = { 0 };
	pthread_t t;

	a = bound_socket(&addr_a);
	b = bound_socket(&addr_b);
	t = spawn(body, NULL);
	for (int i = 1; i <= 20; i++) {
		if (i % 10 == 0)
			sleep_ms(1);
		CHECK_EQ(sendto(b, buf, (size_t)i, 0, (struct sockaddr *)&addr_a, sizeof addr_a),
			 i);
		CHECK_EQ(recv(b, buf, sizeof buf, 0), 1);
	}
	join(t);
}

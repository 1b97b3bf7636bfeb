// SPDX-License-Identifier: BSD-2-Clause
// SO_RCVLOWAT, set before there are threads, for another descriptor of the socket, or for the listener that a connection
// came in at.
#include "../parked.h"

static int early[2];

static void check(int from, int to)
{
	char all[32];

	CHECK_EQ(send(to, "abc", 3, 0), 3);
	settle();
	pid_t child = fork();

	if (child == 0) {
		sleep_ms(100);
		send(to, "defghij", 7, 0);
		_exit(0);
	}
	CHECK_EQ(recv(from, all, sizeof(all), 0), 10);
	CHECK_EQ(waitpid(child, NULL, 0), child);
}

static void *body(void *arg)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int least = 7, ends[2], other, listener = socket(AF_INET, SOCK_STREAM, 0);

	check(early[0], early[1]);
	tcp_pair(ends);
	other = dup(ends[0]);
	CHECK(other >= 0);
	CHECK_OK(setsockopt(other, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least)));
	check(ends[0], ends[1]);
	CHECK_OK(setsockopt(listener, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least)));
	CHECK_OK(bind(listener, (struct sockaddr *)&address, size));
	CHECK_OK(listen(listener, 1));
	CHECK_OK(getsockname(listener, (struct sockaddr *)&address, &size));
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_OK(connect(ends[1], (struct sockaddr *)&address, size));
	ends[0] = accept(listener, NULL, NULL);
	CHECK(ends[0] >= 0);
	check(ends[0], ends[1]);
	return arg;
}

int main(void)
{
	int least = 7;

	tcp_pair(early);
	CHECK_OK(setsockopt(early[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least)));
	run_beside_parked(body);
}

// SPDX-License-Identifier: BSD-2-Clause
// Who waits in getaddrinfo for a name server that does not answer can be cancelled (POSIX, 2.9.5.2, lets it be a
// cancellation point; in glibc it is one by poll, and getaddrinfo(3) is safe for others afterwards): other threads look
// names up as before.
#include "../harness.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>

enum { ROUNDS = 3 };

static struct sockaddr_in server = { .sin_family = AF_INET };
static int s;
static atomic_bool returned;

static void *body(void *arg)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;

	CHECK_OK(res_init());
	_res.nsaddr_list[0] = server;		/* this thread's own: resolver(3) */
	_res.nscount = 1;
	_res.retrans = 2 * WATCHDOG_SECONDS;
	_res.retry = 1;
	getaddrinfo("upcall-test.example.", "80", &hints, &found);
	returned = true;
	return arg;
}

static bool can_look_up(void)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;
	int err = getaddrinfo("localhost", "80", &hints, &found);

	if (!err)
		freeaddrinfo(found);
	return !err;
}

/* The question has come: the thread waits for the answer. */
static void await_question(void)
{
	struct pollfd p = { .fd = s, .events = POLLIN };
	char buf[512];

	if (poll(&p, 1, PATIENCE_MS) != 1)
		skip("getaddrinfo asks no name server here");
	CHECK(recv(s, buf, sizeof buf, 0) > 0);
}

int main(void)
{
	socklen_t n = sizeof server;

	if (!can_look_up())
		skip("localhost has no address here");
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(s >= 0);
	CHECK_OK(bind(s, (struct sockaddr *)&server, n));
	CHECK_OK(getsockname(s, (struct sockaddr *)&server, &n));
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t t = spawn(body, NULL);

		await_question();
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK(!returned);
		CHECK(can_look_up());
	}
}

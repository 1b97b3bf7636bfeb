// SPDX-License-Identifier: BSD-2-Clause
// SO_RCVTIMEO makes recv and read fail with EAGAIN after that time, not before; data in time is
// returned.
#include "../harness.h"
#include <sys/time.h>

static int s[2];
static atomic_bool patient;

static void *body(void *arg UNUSED)
{
	struct timeval v = { .tv_usec = 40000 };
	uint64_t start;
	char c;

	CHECK_OK(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &v, sizeof v));
	start = now_ns();
	CHECK_ERRNO(recv(s[0], &c, 1, 0), EAGAIN);
	CHECK(now_ns() - start >= 36000000);
	start = now_ns();
	CHECK_ERRNO(read(s[0], &c, 1), EAGAIN);
	CHECK(now_ns() - start >= 36000000);
	v = (struct timeval){ .tv_sec = WATCHDOG_SECONDS };
	CHECK_OK(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &v, sizeof v));
	patient = true;
	CHECK_EQ(recv(s[0], &c, 1, 0), 1);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	WAIT_FOR(patient);
	settle();
	CHECK_EQ(send(s[1], "x", 1, 0), 1);
	join(t);
}

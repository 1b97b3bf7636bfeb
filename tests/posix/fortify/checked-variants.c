// SPDX-License-Identifier: BSD-2-Clause
// The checked variants that a fortified build calls (read, pread, recv, recvfrom, poll, ppoll,
// longjmp) behave like the plain ones in threads.
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include "../harness.h"
#include <setjmp.h>

static int s[2];

static void *body(void *arg)
{
	char buf[16], c;
	struct pollfd f[2] = { { .fd = s[0], .events = POLLIN } };
	volatile size_t n = arg ? 1 : 2;
	jmp_buf env;
	volatile int jumps = 0;

	CHECK_EQ(poll(f, n, -1), 1);
	CHECK_EQ(ppoll(f, n, NULL, NULL), 1);
	CHECK_EQ(read(s[0], buf, n), 1);
	CHECK_EQ(recv(s[0], buf, n, 0), 1);
	CHECK_EQ(recvfrom(s[0], &c, n, 0, NULL, NULL), 1);
	if (setjmp(env) < 3) {
		jumps = jumps + 1;
		longjmp(env, jumps);
	}
	CHECK_EQ(jumps, 3);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, &t);
	for (int i = 0; i < 3; i++) {
		settle();
		CHECK_EQ(send(s[1], "x", 1, 0), 1);
	}
	join(t);
}

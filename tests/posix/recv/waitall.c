// SPDX-License-Identifier: BSD-2-Clause
// recv with MSG_WAITALL returns when all has come; MSG_PEEK leaves it.
#include "../harness.h"

static int s[2];

static void *body(void *arg UNUSED)
{
	char buf[3000];

	CHECK_EQ(recv(s[0], buf, 4, MSG_PEEK | MSG_WAITALL), 4);
	CHECK_EQ(recv(s[0], buf, sizeof buf, MSG_WAITALL), (ssize_t)sizeof buf);
	for (int i = 0; i < 3000; i++)
		CHECK_EQ(buf[i], 'a' + i / 100 % 26);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	for (int i = 0; i < 30; i++) {
		char part[100];

		memset(part, 'a' + i % 26, sizeof part);
		CHECK_EQ(send(s[1], part, sizeof part, 0), (ssize_t)sizeof part);
		if (i % 10 == 0)
			sleep_ms(1);
	}
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// Several threads wait in accept on one socket; each connection is accepted once.
#include "../harness.h"
#include <sys/un.h>

#define N 6
#define CONNECTIONS 30

static struct sockaddr_un addr = { .sun_family = AF_UNIX };
static int s;
static atomic_int accepted;

static void *body(void *arg UNUSED)
{
	for (;;) {
		int c = accept(s, NULL, NULL);

		if (c == -1)
			return NULL;
		accepted++;
		CHECK_EQ(write(c, "k", 1), 1);
		CHECK_OK(close(c));
	}
}

int main(void)
{
	pthread_t t[N];
	char b;

	strcpy(addr.sun_path, fresh_path());
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_OK(bind(s, (struct sockaddr *)&addr, sizeof addr));
	CHECK_OK(listen(s, 8));
	spawn_many(t, N, body);
	for (int i = 0; i < CONNECTIONS; i++) {
		int c = socket(AF_UNIX, SOCK_STREAM, 0);

		CHECK_OK(connect(c, (struct sockaddr *)&addr, sizeof addr));
		CHECK_EQ(read(c, &b, 1), 1);
		CHECK_EQ(read(c, &b, 1), 0);
		CHECK_OK(close(c));
	}
	CHECK_EQ(accepted, CONNECTIONS);
	CHECK_OK(shutdown(s, SHUT_RDWR));
	join_many(t, N);
	CHECK_OK(unlink(addr.sun_path));
}

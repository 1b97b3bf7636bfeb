// SPDX-License-Identifier: BSD-2-Clause
// writev of much more than a socket buffer writes all of it before it returns.
#include "../harness.h"
#include <sys/uio.h>

#define PARTS 16
#define PART (128 * 1024)

static int s[2];
static char data[PARTS][PART];

static void *body(void *arg UNUSED)
{
	struct iovec v[PARTS];

	for (int i = 0; i < PARTS; i++)
		v[i] = (struct iovec){ data[i], PART };
	CHECK_EQ(writev(s[0], v, PARTS), PARTS * PART);
	CHECK_OK(shutdown(s[0], SHUT_WR));
	return NULL;
}

int main(void)
{
	static char buf[20000];
	size_t at = 0;
	pthread_t t;
	ssize_t n;

	for (int i = 0; i < PARTS; i++)
		memset(data[i], 'A' + i, PART);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	settle();
	while ((n = read(s[1], buf, sizeof buf)) > 0) {
		for (ssize_t i = 0; i < n; i++, at++)
			if (buf[i] != (char)('A' + at / PART))
				CHECK_EQ(buf[i], 'A' + at / PART);
	}
	CHECK_EQ(at, PARTS * PART);
	join(t);
}

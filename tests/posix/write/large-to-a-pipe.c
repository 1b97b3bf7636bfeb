// SPDX-License-Identifier: BSD-2-Clause
// A write larger than the pipe waits for the reader and writes everything before it returns.
#include "../harness.h"

#define SIZE (1 << 20)

static int p[2];
static char data[SIZE];

static void *body(void *arg UNUSED)
{
	CHECK_EQ(write(p[1], data, SIZE), SIZE);
	CHECK_OK(close(p[1]));
	return NULL;
}

int main(void)
{
	static char buf[10000];
	pthread_t t;
	ssize_t n;
	size_t at = 0;

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i * 31 >> 3);
	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	while ((n = read(p[0], buf, sizeof buf)) > 0) {
		CHECK(at + (size_t)n <= SIZE && !memcmp(buf, data + at, (size_t)n));
		at += (size_t)n;
	}
	CHECK_EQ(n, 0);
	CHECK_EQ(at, SIZE);
	join(t);
}

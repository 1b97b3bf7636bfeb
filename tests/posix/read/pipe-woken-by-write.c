// SPDX-License-Identifier: BSD-2-Clause
// A read of an empty pipe waits until another thread writes; the writer need not be a thread of
// its processor.
#include "../harness.h"

static int p[2];

static void *body(void *arg UNUSED)
{
	char c;

	for (int i = 0; i < 500; i++) {
		CHECK_EQ(read(p[0], &c, 1), 1);
		CHECK_EQ((unsigned char)c, i & 255);
	}
	CHECK_EQ(read(p[0], &c, 1), 0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	for (int i = 0; i < 500; i++) {
		char c = (char)i;

		if (i % 50 == 0)
			sleep_ms(1);
		CHECK_EQ(write(p[1], &c, 1), 1);
	}
	CHECK_OK(close(p[1]));
	join(t);
}

// SPDX-License-Identifier: BSD-2-Clause
// Many threads that read one pipe: each byte goes to exactly one of them, and all see the end.
#include "../harness.h"

#define N 10
#define BYTES 1000

static int p[2];
static atomic_int sum, count;

static void *body(void *arg UNUSED)
{
	unsigned char c;

	while (read(p[0], &c, 1) == 1) {
		sum += c;
		count++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	int want = 0;

	CHECK_OK(pipe(p));
	spawn_many(t, N, body);
	for (int i = 0; i < BYTES; i++) {
		unsigned char c = (unsigned char)(i * 7);

		want += c;
		CHECK_EQ(write(p[1], &c, 1), 1);
	}
	CHECK_OK(close(p[1]));
	join_many(t, N);
	CHECK_EQ(count, BYTES);
	CHECK_EQ(sum, want);
}

// SPDX-License-Identifier: BSD-2-Clause
// Writes of up to PIPE_BUF bytes to one pipe by many threads are not mixed.
#include "../harness.h"

#define N 8
#define ROUNDS 60

static int p[2];

static void *body(void *arg)
{
	char block[PIPE_BUF];

	memset(block, 'a' + (int)(intptr_t)arg, sizeof block);
	for (int i = 0; i < ROUNDS; i++)
		CHECK_EQ(write(p[1], block, sizeof block), PIPE_BUF);
	return NULL;
}

static void read_block(char *block)
{
	for (size_t at = 0; at < PIPE_BUF;) {
		ssize_t n = read(p[0], block + at, PIPE_BUF - at);

		CHECK(n > 0);
		at += (size_t)n;
	}
}

int main(void)
{
	pthread_t t[N];
	char block[PIPE_BUF];

	CHECK_OK(pipe(p));
	spawn_many(t, N, body);
	for (int i = 0; i < N * ROUNDS; i++) {
		read_block(block);
		for (size_t k = 1; k < sizeof block; k++)
			if (block[k] != block[0])
				CHECK_EQ(block[k], block[0]);
	}
	join_many(t, N);
}

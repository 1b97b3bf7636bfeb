// SPDX-License-Identifier: BSD-2-Clause
// A token that threads pass on through pipes comes back after each round.
#include "../harness.h"

#define N 8

static int fd[N][2];

static void *body(void *arg)
{
	int i = (int)(intptr_t)arg;
	char c;

	for (int round = 0; round < 20; round++) {
		CHECK_EQ(read(fd[i][0], &c, 1), 1);
		c++;
		CHECK_EQ(write(fd[(i + 1) % N][1], &c, 1), 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	char c = 0;

	for (int i = 0; i < N; i++)
		CHECK_OK(pipe(fd[i]));
	spawn_many(t, N, body);
	CHECK_EQ(write(fd[0][1], &c, 1), 1);
	join_many(t, N);
	CHECK_EQ(read(fd[0][0], &c, 1), 1);
	CHECK_EQ((unsigned char)c, N * 20);
}

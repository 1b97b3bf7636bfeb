// SPDX-License-Identifier: BSD-2-Clause
// poll on a few hundred descriptors reports the one that becomes ready.
#include "../harness.h"

#define N 300

static int p[N][2];

static void *body(void *arg UNUSED)
{
	struct pollfd f[N];
	char c;

	for (int i = 0; i < N; i++)
		f[i] = (struct pollfd){ .fd = p[i][0], .events = POLLIN };
	for (int r = 0; r < 20; r++) {
		int want = r * 37 % N;

		CHECK_EQ(poll(f, N, -1), 1);
		for (int i = 0; i < N; i++)
			CHECK_EQ(f[i].revents, i == want ? POLLIN : 0);
		CHECK_EQ(read(p[want][0], &c, 1), 1);
		CHECK_EQ(write(p[0][1], "k", 1), 1);
		CHECK_EQ(read(p[0][0], &c, 1), 1);
	}
	return NULL;
}

static bool is_drained(int fd)
{
	struct pollfd f = { .fd = fd, .events = POLLIN };

	return poll(&f, 1, 0) == 0;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < N; i++)
		if (pipe(p[i]) == -1)
			skip("too few descriptors allowed");
	t = spawn(body, NULL);
	for (int r = 0; r < 20; r++) {
		int i = r * 37 % N;

		CHECK_EQ(write(p[i][1], "x", 1), 1);
		WAIT_FOR(is_drained(p[i][0]));
	}
	join(t);
}

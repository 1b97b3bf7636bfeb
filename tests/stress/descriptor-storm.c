// SPDX-License-Identifier: BSD-2-Clause
// Threads talk over pipes and socketpairs that are opened and closed all the time, so that numbers
// are used again at once; every byte arrives where it was sent.
#include "stress.h"

#define N 12
#define ROUNDS 120

struct line {
	int in, out;
	unsigned char tag;
	int bytes;
};

static void *reader(void *arg)
{
	struct line *l = arg;
	unsigned char buf[512];
	ssize_t n;
	int total = 0;

	while ((n = read(l->in, buf, sizeof buf)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			CHECK_EQ(buf[i], l->tag);
		total += (int)n;
	}
	CHECK_EQ(n, 0);
	CHECK_EQ(total, l->bytes);
	return NULL;
}

static void one(uint64_t *r)
{
	static const int sizes[] = { 1, 100, 4096, 100000, 300000 };
	static unsigned char block[256][1000];
	struct line l = { .tag = (unsigned char)pick(r, 256), .bytes = sizes[pick(r, 5)] };
	int fd[2];
	pthread_t t;

	memset(block[l.tag], l.tag, sizeof block[0]);
	if (pick(r, 2))
		CHECK_OK(pipe(fd));
	else
		CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	l.in = fd[0];
	l.out = fd[1];
	t = spawn(reader, &l);
	for (int left = l.bytes; left > 0;) {
		int n = left < 1000 ? left : 1000;

		CHECK_EQ(write(l.out, block[l.tag], (size_t)n), n);
		left -= n;
		if (pick(r, 100) == 0)
			dawdle(r);
	}
	CHECK_OK(close(l.out));
	join(t);
	CHECK_OK(close(l.in));
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++)
		one(&r);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[N];

	stress_seed(argc, argv);
	spawn_many(t, N, body);
	join_many(t, N);
}

// SPDX-License-Identifier: BSD-2-Clause
// A thread with a file system of its own (unshare) makes threads and cancels them at once: none of it is lost.
#include "../harness.h"

enum { N = 3, ROUNDS = 300 };

static int pipe_fds[2];

static void *reads(void *arg)
{
	char byte;

	while (read(pipe_fds[0], &byte, 1) < 0)
		;
	return arg;
}

static void *cancels(void *arg)
{
	unshare_or_skip(CLONE_FS);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t t = spawn(reads, NULL);

		if (i % 3 == 0)
			sched_yield();
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
	}
	return arg;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pipe(pipe_fds));
	spawn_many(t, N, cancels);
	join_many(t, N);
}

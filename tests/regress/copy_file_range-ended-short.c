// SPDX-License-Identifier: BSD-2-Clause
// A copy from file to file, beside threads that compute, ended with a part where a signal of the runtime's came to it.
#include "../posix/harness.h"

enum { THREADS = 6, RUN_MS = 1500, BYTES = 1 << 20 };

static atomic_bool stop;
static char full[BYTES];

static void *copies(void *arg)
{
	int from = open("/tmp", O_TMPFILE | O_RDWR, 0600), to = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (from < 0 || to < 0)
		skip("no unnamed files in /tmp");
	CHECK_EQ(pwrite(from, full, BYTES, 0), BYTES);
	while (!stop) {
		off64_t at = 0, to_at = 0;
		ssize_t n = copy_file_range(from, &at, to, &to_at, BYTES, 0);

		if (n < 0 && errno != EINTR)
			skip("files in /tmp are not copied so");
		CHECK_EQ(n, BYTES);
		CHECK(at == BYTES && to_at == BYTES);
		CHECK_EQ(copy_file_range(from, &at, to, &to_at, BYTES, 0), 0);
	}
	close(from);
	close(to);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, copies);
	sleep_ms(RUN_MS);
	stop = true;
	join_many(t, THREADS);
}

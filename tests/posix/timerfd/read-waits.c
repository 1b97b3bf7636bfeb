// SPDX-License-Identifier: BSD-2-Clause
// read of a timerfd waits for its expiry and tells how many there were.
#include "../harness.h"
#include <sys/timerfd.h>

static void *body(void *arg UNUSED)
{
	struct itimerspec v = { .it_interval = ms_span(10), .it_value = ms_span(30) };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t start = now_ns(), n = 0, total = 0;

	CHECK_OK(timerfd_settime(fd, 0, &v, NULL));
	CHECK_EQ(read(fd, &n, sizeof n), (ssize_t)sizeof n);
	CHECK(n >= 1);
	CHECK(now_ns() - start >= 30000000);
	for (total = n; total < 5; total += n)
		CHECK_EQ(read(fd, &n, sizeof n), (ssize_t)sizeof n);
	CHECK(now_ns() - start >= 70000000);
	return NULL;
}

int main(void)
{
	pthread_t t[10];

	spawn_many(t, 10, body);
	join_many(t, 10);
}
